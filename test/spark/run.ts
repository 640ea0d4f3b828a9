import { strict as assert } from 'node:assert'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { awsEnvironment, clientSettings } from '../../local/embedded/environment.ts'
import { startS3 } from '../../local/embedded/s3.ts'
import { openCleanUp } from '../clean-up.ts'
import { edgeTable, inOrder } from '../readers/iceberg/edge-table.ts'
import type { Row } from '../readers/iceberg/read-table.ts'
import { virtualEnvironment } from '../virtual-environment.ts'

/**
 * `npm run check -- spark`: Spark with the Iceberg runtime reads every value of a table, travels to each Iceberg snapshot, finds what
 * each one deletes, and takes aggregates from the metrics of the files.
 */
const mavenCentral = 'https://repo1.maven.org/maven2/'
const jars = [
  {
    path: 'org/apache/iceberg/iceberg-spark-runtime-4.1_2.13/1.12.0/iceberg-spark-runtime-4.1_2.13-1.12.0.jar',
    sha256: '3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82',
  },
  {
    path: 'org/apache/iceberg/iceberg-aws-bundle/1.12.0/iceberg-aws-bundle-1.12.0.jar',
    sha256: 'dd7e49ffa4ac9b215bed846581991259e3aec9bb2fa08d6cec029c46cd66d957',
  },
  {
    path: 'org/xerial/sqlite-jdbc/3.49.1.0/sqlite-jdbc-3.49.1.0.jar',
    sha256: '5c8609d2ca341deb8c6f71778974b5ba4995c7d32d7c7c89d9392a3e72c39291',
  },
] as const

const cache = fileURLToPath(new URL('../../node_modules/.cache/spark-jars/', import.meta.url))
const cleanUp = openCleanUp()
try {
  await readWithSpark()
} finally {
  await cleanUp.run()
}

async function readWithSpark(): Promise<void> {
  const requirements = new URL('requirements.txt', import.meta.url)
  const programs = await virtualEnvironment({ name: 'spark', requirements }, cleanUp)
  const files = await Promise.all(jars.map(downloaded))
  const { testbed, documents, rows } = await edgeTable()
  const full = testbed.latest()?.metadata ?? ''
  const kept = 1000
  testbed.pagesOfChunk = 1000
  await testbed.publishTable([...documents.slice(0, kept), '{"id":-1}'])
  await testbed.publishTable([])
  const s3 = await startS3({ bucket: 'bucket' })
  cleanUp.add(() => s3.close())
  const client = new S3Client({ ...clientSettings, endpoint: s3.endpoint })
  for (const [Key, { body }] of testbed.s3.objects)
    await client.send(new PutObjectCommand({ Bucket: 'bucket', Key, Body: body }))
  client.destroy()

  const read = async (metadata: string) => {
    const program = fileURLToPath(new URL('read_with_spark.py', import.meta.url))
    const input = [program, files.join(','), s3.endpoint, `s3://bucket/${metadata}`]
    const env = { ...process.env, ...awsEnvironment({ s3: s3.endpoint }), TZ: 'UTC' }
    const { stdout } = await promisify(execFile)(join(programs, 'python'), input, { env, maxBuffer: 2 ** 26 })
    const { rows, ...others } = JSON.parse(stdout) as { readonly rows: readonly Row[] }
    return { rows: inOrder(rows), ...others }
  }
  const count = rows.length
  const added = Number(testbed.metadata().snapshots[0]?.summary['added-data-files'])
  const metrics = { usesMetrics: [true, false], metricsAreExact: true }
  assert.deepEqual(await read(full), {
    rows,
    snapshots: [count],
    changes: { INSERT: count },
    files: [[added, 0]],
    ...metrics,
  })
  assert.deepEqual(await read(testbed.latest()?.metadata ?? ''), {
    rows: [],
    snapshots: [count, kept + 1, 0],
    // Without the rows that the second publication has deleted and inserted again as they were.
    changes: { INSERT: count + 1, DELETE: count + 1 },
    files: [
      [added, 0],
      [1, added],
      [0, 1],
    ],
    ...metrics,
  })
  console.log(
    `Spark reads ${count} rows, an empty table, each Iceberg snapshot and the changes between them.`,
  )
}

async function downloaded({ path, sha256 }: (typeof jars)[number]): Promise<string> {
  const file = join(cache, path.replaceAll('/', '-'))
  if (!existsSync(file)) {
    const response = await fetch(`${mavenCentral}${path}`)
    if (!response.ok) throw new Error(`Maven Central responds ${response.status} for ${path}.`)
    mkdirSync(cache, { recursive: true })
    writeFileSync(file, Buffer.from(await response.arrayBuffer()))
  }
  assert.equal(
    createHash('sha256').update(readFileSync(file)).digest('hex'),
    sha256,
    `${file} is another file`,
  )
  return file
}
