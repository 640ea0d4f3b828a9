import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundle } from '../bundle.ts'
import type { Figures } from '../measured/report.ts'
import { measure } from '../processes.ts'
import { count, figure, median, type Report } from '../table.ts'

/** The modules that a function loads at its start, each as the text of a module. */
const modules = {
  'nothing (the measurement itself)': '',
  'node:https': "import https from 'node:https'; globalThis.kept = https",
  'node:http by import (not used)': "import http from 'node:http'; globalThis.kept = http",
  valibot: "import { object, string, safeParse } from 'valibot'; safeParse(object({ a: string() }), {})",
  '@aws-sdk/client-secrets-manager':
    "import { SecretsManagerClient, GetSecretValueCommand } from '@aws-sdk/client-secrets-manager'; globalThis.kept = [new SecretsManagerClient({}), GetSecretValueCommand]",
  '@aws-sdk/client-dynamodb':
    "import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'; globalThis.kept = [new DynamoDBClient({}), GetItemCommand]",
  '@aws-sdk/client-s3':
    "import { S3Client, PutObjectCommand } from '@aws-sdk/client-s3'; globalThis.kept = [new S3Client({}), PutObjectCommand]",
  '@aws-sdk/client-sfn':
    "import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn'; globalThis.kept = [new SFNClient({}), StartExecutionCommand]",
  'functions/upstream (exchange, credentials cache)':
    "import { createUpstream } from './functions/upstream/client.ts'; import { cacheCredentials } from './functions/upstream/credential-cache.ts'; globalThis.kept = [createUpstream, cacheCredentials]",
  'functions/proxy (all rules and endpoints)':
    "import { createProxy } from './functions/proxy/proxy.ts'; globalThis.kept = createProxy",
  'functions/sync-api (routes, views, syncs)':
    "import { createSyncApi } from './functions/sync-api/sync-api.ts'; import { createSyncs } from './functions/sync-api/syncs.ts'; globalThis.kept = [createSyncApi, createSyncs]",
}

/** The time to import each module of a start in a new process. */
export async function benchModules({ quick }: { quick: boolean }): Promise<Report> {
  const starts = quick ? 3 : 20
  const folder = mkdtempSync(join(tmpdir(), 'longshore-bench-'))
  const rows: string[][] = []
  try {
    for (const [index, [name, contents]] of Object.entries(modules).entries()) {
      const file = await bundle({ contents }, join(folder, String(index)))
      const times: number[] = []
      for (let start = 0; start < starts; start++) {
        const { seconds } = await measure<Figures>('import', { arguments: [file] })
        times.push(seconds * 1000)
      }
      const sizes = readdirSync(join(folder, String(index))).map(
        (one) => statSync(join(folder, String(index), one)).size,
      )
      rows.push([name, count(sizes.reduce((sum, size) => sum + size, 0)), figure(median(times))])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return {
    title: `Time of single imports, bundled with splitting; medians of ${starts} new processes`,
    columns: ['', 'bytes with lazy chunks', 'ms'],
    rows,
    targets: [],
  }
}
