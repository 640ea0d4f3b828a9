import { expect, it } from 'vitest'
import { findVersions } from '../../../../stored/inventory/stored-entity.ts'
import type { ObjectVersion, ObjectVersionStore } from '../../../../stored/object-versions.aws.ts'

it('stops between two pages of a listing when its time is up', async () => {
  let pages = 0
  const versions = {
    async *listVersions() {
      while (pages < 5) {
        pages++
        yield [] as readonly ObjectVersion[]
      }
    },
  } as unknown as ObjectVersionStore
  const checkTime = () => {
    if (pages === 3) throw new Error('The time is up.')
  }
  await expect(findVersions({ versions, checkTime }, 'snapshots/CL/', () => true)).rejects.toThrow(
    'The time is up.',
  )
})
