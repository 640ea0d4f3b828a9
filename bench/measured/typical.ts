import { argv } from 'node:process'
import { gzipSync } from 'node:zlib'
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { bucket, table } from '../names.ts'
import { report } from '../report.ts'

/** What most people write: one step after another, with the same services and without any proof. */
const [, , upstream = ''] = argv
const s3 = new S3Client({})
const dynamodb = new DynamoDBClient({})
const startedAt = performance.now()
let token: string | null = null
for (let page = 1; ; page++) {
  const query: string = token ? `_token=${token}` : '_size=1000'
  const response = await fetch(`${upstream}/api/dataentities/BENCH/scroll?${query}`)
  const documents = (await response.json()) as unknown[]
  if (documents.length === 0) break
  token = response.headers.get('x-svc-md-token')
  const lines = documents.map((document) => JSON.stringify(document)).join('\n')
  await s3.send(
    new PutObjectCommand({ Bucket: bucket, Key: `typical/${page}.ndjson.gz`, Body: gzipSync(lines) }),
  )
  await dynamodb.send(
    new PutItemCommand({
      TableName: table,
      Item: {
        pk: { S: 'typical' },
        sk: { S: String(page) },
        token: { S: token ?? '' },
        documents: { N: String(documents.length) },
      },
    }),
  )
}
report(startedAt)
