import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chainSteps, checkChain, type Plant } from './chain-check.ts'

it('a chain leads every reader from any of its states to the last one', async () => {
  await fc.assert(
    fc.asyncProperty(chainSteps, (steps) => checkChain(steps)),
    { numRuns: 60 },
  )
})

const plants: Readonly<Record<string, Plant>> = {
  'a document is deleted because a snapshot within tolerance lacks it': {
    context: (context) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        readManifest: async (...run) => {
          const manifest = await context.snapshots.readManifest(...run)
          return manifest && { ...manifest, proof: 'exact' }
        },
      },
    }),
  },
  'withheld documents are compared like those of the snapshot': {
    context: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        readManifest: async (...run) => {
          const set = await context.changes.readManifest(...run)
          return set && { ...set, value: { ...set.value, withheldParts: [] } }
        },
      },
      snapshots: {
        ...context.snapshots,
        readManifest: async (...run) => {
          const manifest = await context.snapshots.readManifest(...run)
          const set = await context.changes.readManifest(...run)
          const withheld = (set?.value.withheldParts ?? []).map(({ records, ...part }) => ({
            ...part,
            documents: records,
          }))
          return (
            manifest && {
              ...manifest,
              documents: withheld.reduce((sum, { documents }) => sum + documents, manifest.documents),
              pages: [...manifest.pages, ...withheld],
            }
          )
        },
      },
    }),
  },
  'the first of several documents with one id counts': {
    context: (context) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        readManifest: async (...run) => {
          const manifest = await context.snapshots.readManifest(...run)
          return manifest && { ...manifest, pages: manifest.pages.toReversed() }
        },
      },
    }),
  },
  'a change of the query is not noticed': {
    context: (context) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        readManifest: async (...run) => {
          const manifest = await context.snapshots.readManifest(...run)
          return manifest && { ...manifest, query: {} }
        },
      },
    }),
  },
  'expired pages of the tip count as no documents': {
    context: (context) => ({
      ...context,
      snapshots: {
        ...context.snapshots,
        readManifest: async (...run) => {
          const manifest = await context.snapshots.readManifest(...run)
          const keys: string[] = []
          for await (const key of context.changes.listObjects(`snapshots/CL/${run[1]}/`)) keys.push(key)
          const pages = manifest?.pages.filter(({ key }) => keys.includes(key)) ?? []
          const count = pages.reduce((sum, { documents }) => sum + documents, 0)
          return manifest && { ...manifest, pages, documents: count }
        },
      },
    }),
  },
  'a chain continues although change sets were off': {
    context: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        readLatest: async (entity) => {
          const chain = await context.changes.readLatest(entity)
          return chain && { ...chain, value: { ...chain.value, off: false } }
        },
      },
    }),
  },
  'a reader skips a set': { read: (sets) => sets.slice(1) },
  'a reader applies the sets in the wrong order': { read: (sets) => sets.toReversed() },
  'a reader begins without the withheld documents': {
    begin: ({ snapshot }) => ({ snapshot, withheld: new Map() }),
  },
}

describe('the oracle of chains finds that', () => {
  it.each(Object.entries(plants))('%s', async (_, plant) => {
    const { failed } = await fc.check(
      fc.asyncProperty(chainSteps, (steps) => checkChain(steps, plant)),
      { numRuns: 2_000, endOnFailure: true },
    )
    expect(failed).toBe(true)
  })
})
