import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { expect, it } from 'vitest'
import { openObjectKeys } from '../../../../operator/aws/object-keys.aws.ts'
import { readEncryption } from '../../../../operator/doctor/read-encryption.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'
import { facts, newLines } from './healthy-facts.ts'

const key = (name: string) => `arn:aws:kms:eu-west-1:111122223333:key/${name}`
const run = (day: number) => `202603${String(day).padStart(2, '0')}T000000000Z-0123456789ab`

/** Puts objects that a key encrypts. */
function store(s3: MemoryS3, SSEKMSKeyId: string | undefined, ...keys: readonly string[]) {
  for (const Key of keys) s3.execute(new PutObjectCommand({ Bucket: 'b', Key, Body: '{}', SSEKMSKeyId }))
}

const read = (s3: MemoryS3, entity: { name: string; runId: string | undefined }) =>
  readEncryption(openObjectKeys('b', s3 as unknown as S3Client), [entity])

it('looks at what readers begin with, the published snapshot, and the oldest objects of each folder', async () => {
  const s3 = new MemoryS3()
  store(s3, key('new'), 'snapshots/CL/latest.json', `snapshots/CL/${run(9)}/manifest.json`)
  store(s3, key('new'), ...Array.from({ length: 1500 }, (_, page) => `snapshots/CL/${run(9)}/a1-p${page}`))
  store(s3, key('old'), `changes/CL/${run(1)}/manifest.json`)
  store(s3, undefined, 'changes/CL/latest.json', 'iceberg/CL/latest.json')
  const found = await read(s3, { name: 'CL', runId: run(9) })
  expect(found.length).toBeLessThanOrEqual(18)
  expect(found).toEqual(
    expect.arrayContaining([
      { entity: 'CL', object: 'snapshots/CL/latest.json', kmsKey: key('new') },
      { entity: 'CL', object: `changes/CL/${run(1)}/manifest.json`, kmsKey: key('old') },
      { entity: 'CL', object: 'changes/CL/latest.json', kmsKey: undefined },
    ]),
  )
})

it('finds nothing of an entity without objects', async () => {
  const found = await read(new MemoryS3(), { name: 'CL', runId: undefined })
  expect(found.every(({ kmsKey }) => kmsKey === undefined)).toBe(true)
})

const object = (entity: string, kmsKey?: string) => ({
  entity,
  object: `snapshots/${entity}/latest.json`,
  kmsKey,
})
const keys = { encryptionKeyArn: key('b'), previousEncryptionKeyArns: [key('a')] }
const noKeys = { encryptionKeyArn: undefined, previousEncryptionKeyArns: [] }

it.each<[name: string, state: object, ...lines: string[]]>([
  [
    'every object can be decrypted',
    { encryption: { value: [object('CL', key('a')), object('CL', key('b')), object('AD')] }, keys },
    'ok | encryption | 3 stored objects of a sample can be decrypted with the configured keys.',
  ],
  ['no key is configured or used', { encryption: { value: [object('CL')] }, keys: noKeys }],
  [
    'a key was removed that still encrypts objects',
    { encryption: { value: [object('AD'), object('CL', key('a')), object('BK', key('a'))] }, keys: noKeys },
    `problem | encryption-key | Stored objects of CL, BK are encrypted with the key ${key('a')}, which is neither encryptionKeyArn nor in previousEncryptionKeyArns, so nobody may decrypt them: 2 objects of a sample of 3, such as snapshots/CL/latest.json. | Add the key to previousEncryptionKeyArns and deploy (npm run deploy). Keep it there, and enabled, as long as such objects are kept.`,
  ],
  [
    'it may not look at the objects',
    { encryption: { failure: 'AWS denied access.' } },
    'unknown | encryption | Cannot check the encryption of stored objects: AWS denied access. | resolve this and run the command again',
  ],
])('reports what encrypts stored objects if %s', (_, state, ...lines) => {
  expect(newLines(facts(state))).toEqual(lines)
})
