import type { S3Client } from '@aws-sdk/client-s3'
import { beforeEach, describe, expect, it } from 'vitest'
import { openVersions } from '../../../../operator/aws/stored-versions.aws.ts'
import type { Damage } from '../../../../operator/verify/examination.ts'
import { type RepairContext, repairObject } from '../../../../operator/verify/repair.ts'
import { openObjects } from '../../../../stored/objects.aws.ts'
import { MemoryS3 } from '../../../simulation/stores/memory-s3.ts'

const key = 'snapshots/CL/r/a1-p000001-x.ndjson.gz'
const intact = Buffer.from('intact')
const object: Damage = {
  key,
  problem: 'is damaged',
  neededBy: undefined,
  isIntact: async (bytes) => bytes.equals(intact),
}

let s3: MemoryS3
let objects: ReturnType<typeof openObjects>
let context: RepairContext
beforeEach(async () => {
  let now = 0
  s3 = new MemoryS3()
  s3.now = () => ++now
  const client = s3 as unknown as S3Client
  objects = openObjects('bucket', client)
  context = { versions: openVersions('bucket', client), objects }
  // Another object whose key begins in the same way.
  await objects.putBytes(`${key}.txt`, intact)
})

describe('a damaged object', () => {
  it('is restored once, from the version that has the hash of the manifest', async () => {
    await objects.putBytes(key, intact)
    await objects.putBytes(key, Buffer.from('damaged'))
    await objects.putBytes(key, Buffer.from('again'))
    expect(await repairObject(context, object, false)).toBe('possible')
    expect(await objects.readBytes(key)).toEqual(Buffer.from('again'))
    expect(await repairObject(context, object, true)).toBe('restored')
    expect(await objects.readBytes(key)).toEqual(intact)
    expect(await repairObject(context, object, true)).toBe('unneeded')
  })

  it.each([1, 5])('is not restored if its current version is intact, of %i with its bytes', async (count) => {
    // Versions that are written in the same second.
    s3.now = () => 1
    for (let written = 0; written < count; written++) await objects.putBytes(key, intact)
    const before = s3.versions.length
    expect(await repairObject(context, object, true)).toBe('unneeded')
    expect(await repairObject(context, object, false)).toBe('unneeded')
    expect(s3.versions.length).toBe(before)
  })

  it('stays if no version is intact', async () => {
    await objects.putBytes(key, Buffer.from('damaged'))
    expect(await repairObject(context, object, true)).toBe('impossible')
    expect(await objects.readBytes(key)).toEqual(Buffer.from('damaged'))
  })

  it('is reported without permission to read its versions, and its repair names the permission', async () => {
    const denied = Object.assign(new Error('not authorized'), { name: 'AccessDenied' })
    const versions = {
      ...context.versions,
      listVersions() {
        throw denied
      },
    }
    expect(await repairObject({ ...context, versions }, object, false)).toBe('unknown')
    await expect(repairObject({ ...context, versions }, object, true)).rejects.toBe(denied)
  })
})
