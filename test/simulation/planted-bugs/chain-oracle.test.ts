import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CompareContext } from '../../../functions/compare/context.ts'
import type { Manifest } from '../../../stored/snapshots/manifest.ts'
import { chainSteps, checkChain, type PlantedBug } from '../../unit/compare/chain-check.ts'

/** A comparison that reads other manifests of snapshots than are stored. */
function readingManifests(
  change: (manifest: Manifest, context: CompareContext) => Manifest | Promise<Manifest>,
): (context: CompareContext) => CompareContext {
  return (context) => ({
    ...context,
    snapshots: {
      ...context.snapshots,
      readManifest: async (...run) => {
        const manifest = await context.snapshots.readManifest(...run)
        return manifest && change(manifest, context)
      },
    },
  })
}

async function withWithheldPages(manifest: Manifest, { changes }: CompareContext): Promise<Manifest> {
  const set = await changes.readManifest(manifest.entity, manifest.runId)
  const withheld = (set?.value.withheldParts ?? []).map(({ records, ...part }) => ({
    ...part,
    documents: records,
  }))
  return {
    ...manifest,
    documents: withheld.reduce((sum, { documents }) => sum + documents, manifest.documents),
    pages: [...manifest.pages, ...withheld],
  }
}

const plantedBugs: Readonly<Record<string, PlantedBug>> = {
  'a document is deleted because a snapshot within tolerance lacks it': {
    context: readingManifests((manifest) => ({ ...manifest, proof: 'exact' })),
  },
  'every absence from ranges counts at once': {
    context: readingManifests(({ partitionedBy, ...manifest }) => ({
      ...manifest,
      ...(partitionedBy && { partitionedBy: { ...partitionedBy, absences: 'proven' as const } }),
    })),
  },
  'documents without a date are deleted like those with one': {
    context: readingManifests(({ partitionedBy, ...manifest }) => ({
      ...manifest,
      ...(partitionedBy?.absences === 'proven'
        ? { proof: 'exact' as const }
        : partitionedBy && { partitionedBy }),
    })),
  },
  'an absence that proves nothing counts for the next': {
    context: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        writeProposal: (proposal, now) => {
          const withheldParts = proposal.withheldParts.map((part) => ({
            ...part,
            countedAbsences: 1 as const,
          }))
          return context.changes.writeProposal({ ...proposal, withheldParts }, now)
        },
      },
    }),
  },
  'withheld documents are compared like those of the snapshot': {
    context: (context) => ({
      ...readingManifests(withWithheldPages)(context),
      changes: {
        ...context.changes,
        readManifest: async (...run) => {
          const set = await context.changes.readManifest(...run)
          return set && { ...set, value: { ...set.value, withheldParts: [] } }
        },
      },
    }),
  },
  'the first of several documents with one id counts': {
    context: readingManifests((manifest) => ({ ...manifest, pages: manifest.pages.toReversed() })),
  },
  'a change of the query is not noticed': {
    context: readingManifests((manifest) => ({ ...manifest, query: {} })),
  },
  'expired pages of the tip count as no documents': {
    context: readingManifests(async (manifest, { snapshots }) => {
      const keys = await Array.fromAsync(snapshots.listKeys(`snapshots/CL/${manifest.runId}/`))
      const pages = manifest.pages.filter(({ key }) => keys.includes(key))
      return { ...manifest, pages, documents: pages.reduce((sum, { documents }) => sum + documents, 0) }
    }),
  },
  'a chain continues although change sets were off': {
    context: (context) => ({
      ...context,
      changes: {
        ...context.changes,
        readLatest: async (entity) => {
          const chain = await context.changes.readLatest(entity)
          return chain && { ...chain, value: { ...chain.value, reset: null } }
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
  it.each(Object.entries(plantedBugs))('%s', async (_, bug) => {
    const { failed } = await fc.check(
      fc.asyncProperty(chainSteps, (steps) => checkChain(steps, bug)),
      { numRuns: 2_000, endOnFailure: true },
    )
    expect(failed).toBe(true)
  })
})
