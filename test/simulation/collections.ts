import type { Chance } from './chance.ts'
import {
  baseOf,
  distinctDocuments,
  heavyDocuments,
  identicalDocuments,
  otherVersion,
  plainDocuments,
  twins,
} from './platform/document-versions.ts'
import type { Scale } from './scenario.ts'
import type { Surroundings } from './surroundings.ts'

/** The documents of an entity, as indexes into the pool. */
export function drawCollection({ chance, scenario }: Surroundings): number[] {
  const { pageSize = 10 } = scenario.entities[0] ?? {}
  const pages = chance.pick([0, 0.3, 1, 1.5, 2, 3, 3.3, 5, 8.7])
  const wanted = Math.min(distinctDocuments, Math.ceil(pages * pageSize), Math.max(24, 4 * pageSize))
  const from = chance.integer(0, distinctDocuments - 1)
  const step = chance.pick([1, 1, 7, 11, 639])
  const drawn = Array.from({ length: wanted }, (_, at) => (from + at * step) % distinctDocuments)
  // Without a date, they are all in one range.
  const own = chance.happens(0.05) ? drawn.filter((index) => [4, 5, 6, 7].includes(index % 16)) : drawn
  const scaled = [...own, ...documentsOfScale(scenario.scale, { chance, pageSize })]
  const all = scenario.collidingIds ? [...scaled, twins[0]] : scaled
  if (!scenario.platform.identicalDocuments) return all
  return [...all, ...identicalDocuments.slice(0, chance.integer(2, identicalDocuments.length))]
}

/** What makes an entity larger than in most seeds. */
function documentsOfScale(
  scale: Scale,
  { chance, pageSize }: { readonly chance: Chance; readonly pageSize: number },
): readonly number[] {
  switch (scale) {
    case 'small':
      return []
    case 'many-pages':
      return plainDocuments.slice(0, chance.integer(100, 160) * pageSize)
    case 'large':
      return plainDocuments.slice(0, chance.integer(1_000, plainDocuments.length))
    case 'heavy':
      return heavyDocuments.filter(() => chance.happens(0.8))
  }
}

/** An entity's documents after some hours of use. In rare cases all of them are different. */
export function changedCollection(sim: Surroundings, now: readonly number[]): number[] {
  const { chance } = sim
  if (now.length === 0 || chance.happens(0.3)) return drawCollection(sim)
  const deletes = chance.pick([0, 0.05, 0.3, 0.5])
  const updates = sim.scenario.scale === 'heavy' ? 0.7 : chance.pick([0, 0.1, 0.5])
  const kept = now.filter((index) => isTwin(index) || !chance.happens(deletes))
  const updated = kept.map((index) =>
    chance.happens(updates) ? otherVersion(index, chance.integer(0, 4)) : index,
  )
  const created = chance.happens(0.5) ? now.length - kept.length : chance.pick([0, 1, 5])
  return [...updated.map(otherTwin), ...newDocuments(sim, updated, created)]
}

const isTwin = (index: number) => (twins as readonly number[]).includes(index)
const otherTwin = (index: number): number => {
  const at = (twins as readonly number[]).indexOf(index)
  return at < 0 ? index : (twins[1 - at] as number)
}

/** Documents that are not in the collection: some of them were there before. */
function newDocuments({ chance, scenario }: Surroundings, now: readonly number[], wanted: number): number[] {
  const known = new Set(now.map(baseOf))
  const from = chance.pick([0, chance.integer(0, distinctDocuments - 1)])
  const light = Array.from({ length: distinctDocuments }, (_, at) => (from + at) % distinctDocuments)
  const all = scenario.scale === 'heavy' ? [...heavyDocuments, ...light] : light
  return all.filter((index) => !known.has(index)).slice(0, wanted)
}
