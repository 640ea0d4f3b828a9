import { compares, type PlantedBug } from './planted-bug.ts'

/** Bugs of change sets. */
export const changeBugs = {
  'set-published-without-parts': {
    breaks: 'changes-true',
    file: 'functions/publisher/publish-set.ts',
    find: '{ ...result.manifest, by: accepted.by } : result.manifest',
    replace: '{ ...result.manifest, by: accepted.by } : { ...result.manifest, parts: [] }',
    seed: 35,
    showsIn: compares,
  },
  'cursor-too-new': {
    breaks: 'readers-follow',
    file: 'stored/changes/sets-since.ts',
    find: 'chain.sets.slice(first)',
    replace: 'chain.sets.slice(first + 1)',
    seed: 35,
    showsIn: compares,
  },
  'note-drops-a-set': {
    breaks: 'chain-forward',
    file: 'functions/publisher/note.ts',
    find: '{ ...chain, announced: true }',
    replace: '{ ...chain, sets: chain.sets.slice(1), announced: true }',
    seed: 20,
    showsIn: (scenario) => compares(scenario) && scenario.increments === undefined,
  },
  'listed-sets-cleaned-up': {
    breaks: 'sets-whole',
    file: 'stored/inventory/set-reasons.ts',
    find: "listed.has(run) && 'listed',\n      name !== undefined && run >= oldest && 'links',",
    replace: '',
    seed: 35,
    showsIn: compares,
  },
} as const satisfies Record<string, PlantedBug>
