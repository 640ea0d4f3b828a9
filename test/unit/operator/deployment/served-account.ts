import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { awsEnvironment } from '../../../../local/embedded/environment.ts'
import { serveStacks } from '../../../integration/cli-account.ts'
import { type ApiSchedule, serveSchedules } from '../../../serve-schedules.ts'

interface ServedAccount {
  readonly schedules: Map<string, ApiSchedule>
  /** The schedules of the template of ShopSync, by their ids. */
  readonly resources: Readonly<Record<string, object>>
  readonly entities: readonly object[]
}

/**
 * Serves the stacks and the schedules of a deployment named Shop until the test ends. Returns the path of its
 * configuration.
 */
export async function serveAccount({ schedules, resources, entities }: ServedAccount): Promise<string> {
  const stacks = await serveStacks(
    {
      ShopApi: { ApiUrl: 'https://api.example.com' },
      ShopSync: { SyncStateMachineArn: 'arn:machine' },
      ShopStorage: { SnapshotBucketName: 'bucket', StateTableName: 'table', CredentialsSecretArn: 'secret' },
    },
    { ShopSync: { 'AWS::Scheduler::Schedule': Object.keys(resources) } },
    { ShopSync: { Resources: resources } },
  )
  const scheduler = await serveSchedules(schedules)
  const variables = {
    ...awsEnvironment({}),
    AWS_ENDPOINT_URL_CLOUDFORMATION: stacks.endpoint,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.endpoint,
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
    await Promise.all([stacks.close(), scheduler.close()])
  })
  const config = join(folder, 'config.json')
  writeFileSync(config, JSON.stringify({ upstream: { baseUrl: 'https://shop.example.com' }, entities }))
  return config
}
