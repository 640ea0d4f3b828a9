import {
  glueName,
  reservedEntity,
  tableDatabase,
} from '../../functions/runtime/settings-schema/glue-names.ts'
import { openCatalog } from '../../functions/tables/glue/catalog.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { deleteObjects, findObjects } from '../purge/entity-objects.ts'
import { openBucket } from '../purge/purge.ts'
import { createScheduleStore } from '../schedules/schedule-store.aws.ts'
import { check, type LiveCheck, type Place, verdictOn } from './live-check.ts'
import { liveScheduleName } from './run-checks.ts'

/** Deletes what the checks have created, and looks whether anything is left. */
export function cleanUp({ configuration, bucket }: Deployment, place: Place): Promise<LiveCheck> {
  const { name, athena } = configuration
  const question = {
    name: 'nothing is left behind',
    asked: `what exists under ${reservedEntity}, and the schedule ${liveScheduleName(name)}`,
    expected: 'nothing',
  }
  return check(place, question, async () => {
    const left: string[] = []
    const schedules = createScheduleStore()
    await schedules.remove(liveScheduleName(name))
    if (await schedules.read(liveScheduleName(name))) left.push('the schedule')
    if (athena) {
      const catalog = openCatalog(tableDatabase(name), awsClients.glue())
      await catalog.drop(glueName(reservedEntity))
      if (await catalog.read(glueName(reservedEntity))) left.push('the table in Glue')
      const stored = openBucket(bucket)
      await deleteObjects(await findObjects(reservedEntity, stored), stored, () => undefined)
      left.push(...(await findObjects(reservedEntity, stored)).keys)
    }
    return verdictOn(left.length === 0, left.join(', ') || 'nothing')
  })
}
