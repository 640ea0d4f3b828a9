import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { environment, type Settings, settingsFileName } from '../functions/environment.ts'
import { resolveConfig, settingsOf } from '../lib/config.ts'
import { serveAwsJson } from '../local/embedded/aws-json-server.ts'
import { startDynamoDb } from '../local/embedded/dynamodb.ts'
import { awsEnvironment } from '../local/embedded/environment.ts'
import { createEventBus } from '../local/embedded/event-bridge.ts'
import { startS3 } from '../local/embedded/s3.ts'
import { createSecrets } from '../local/embedded/secrets-manager.ts'
import { makeDocument } from '../local/platform/documents.ts'
import { localCredentials, startPlatform } from '../local/platform/platform.ts'

export interface SyncFigures {
  readonly answer: { readonly status: string; readonly documents?: number; readonly proof?: string }
  readonly seconds: number
  readonly cpuSeconds: number
  /** Resident memory of the worker's whole process at its highest. */
  readonly peakMegabytes: number
}

/** Syncs so many documents of so many bytes with the built worker in a process of its own. */
export async function benchSync(size: { documents: number; bytes: number }): Promise<SyncFigures> {
  const table = 'bench-state'
  const bucket = 'bench-snapshots'
  const document = (index: number) => makeDocument(index, { bytes: size.bytes })
  const [platform, dynamoDb, s3, services] = await Promise.all([
    startPlatform({ documents: { BENCH: { count: size.documents, document } } }),
    startDynamoDb({ table }),
    startS3({ bucket }),
    serveAwsJson({
      ...createSecrets({ keys: JSON.stringify(localCredentials) }).operations,
      ...createEventBus().operations,
    }),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'longshore-bench-'))
  try {
    await writeFile(join(folder, settingsFileName), JSON.stringify(settingsFor(platform.url)))
    return await runWorker('BENCH', {
      ...awsEnvironment({
        dynamoDb: dynamoDb.endpoint,
        s3: s3.endpoint,
        secretsManager: services.endpoint,
        eventBridge: services.endpoint,
      }),
      LAMBDA_TASK_ROOT: folder,
      [environment.table]: table,
      [environment.bucket]: bucket,
      [environment.credentials.documents]: 'keys',
    })
  } finally {
    await rm(folder, { recursive: true })
    await Promise.all([platform.close(), dynamoDb.close(), s3.close(), services.close()])
  }
}

async function runWorker(entity: string, variables: Record<string, string>): Promise<SyncFigures> {
  const worker = fork(fileURLToPath(new URL('worker.ts', import.meta.url)), [entity], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(worker, 'exit').then(([code]) => {
    throw new Error(`The worker ended with code ${code} before it reported.`)
  })
  const [figures] = (await Promise.race([once(worker, 'message'), ended])) as [SyncFigures]
  return figures
}

function settingsFor(baseUrl: string): Settings {
  return settingsOf(
    resolveConfig({
      upstream: { baseUrl },
      entities: [{ name: 'BENCH', schedule: 'rate(1 day)' }],
      stepSeconds: 840,
    }),
  )
}
