import { expect, vi } from 'vitest'
import { localCredentials } from '../../../local/stand-in/platform.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, partOf, queriesOf, situation } from '../pages.ts'
import { expectHealthy, type LocalDrill, succeeds, untilCredentialsWork } from './world.ts'

const rejected = situation('runbook', 'Credentials rejected')
const [set = ''] = longshoreArgs(commandsOf(partOf(rejected, 'Fix'), {}))
const [query = 'Crashes'] = queriesOf(partOf(rejected, 'Investigate'))

/** Credentials that the platform does not accept, or that nobody has set. */
export const credentialsDrills: LocalDrill[] = [
  drill('runbook', 'Credentials rejected', async ({ platform, longshore, lastRun }) => {
    platform.credentials.splice(0, platform.credentials.length, { appKey: 'other', appToken: 'other' })
    expect(await longshore('sync AD --watch')).toMatchObject({ code: 1 })
    expect((await lastRun('AD')).reason).toMatch(/credentials/i)
    return async (operator) => {
      // A line can reach the log after the command has ended.
      await vi.waitFor(async () => expect(await operator.query(query)).not.toEqual([]), { timeout: 10_000 })
      const created = { appKey: 'new-key', appToken: 'new-token' }
      platform.credentials.splice(0, platform.credentials.length, created)
      await succeeds(operator.longshore(set, created))
      await untilCredentialsWork(operator)
      await expectHealthy(operator)
      platform.credentials.push(localCredentials)
      await succeeds(longshore(set))
    }
  }),
  drill('runbook', 'credentials', async ({ longshore }) => {
    const placeholder = { appKey: 'replace-me', appToken: 'replace-me' }
    await longshore('credentials set --skip-check --no-sync', placeholder)
    return async (operator) => {
      await succeeds(operator.longshore(set))
      await untilCredentialsWork(operator)
      await expectHealthy(operator)
    }
  }),
]
