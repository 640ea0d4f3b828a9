import { compares, type PlantedBug } from './planted-bug.ts'

/** Bugs of change sets. */
export const changeBugs = {
  'set-published-without-parts': {
    breaks: 'changes-true',
    file: 'functions/publisher/publish-set.ts',
    find: 'const { manifest } = result',
    replace: 'const manifest = { ...result.manifest, parts: [] }',
    seed: 26,
    showsIn: compares,
  },
  'cursor-too-new': {
    breaks: 'readers-follow',
    file: 'functions/state/changes/change-chain.ts',
    find: 'chain.sets.slice(first)',
    replace: 'chain.sets.slice(first + 1)',
    seed: 35,
    showsIn: compares,
  },
  'earlier-sets-lost': {
    breaks: 'chain-forward',
    file: 'functions/state/changes/chain-moves.ts',
    find: 'const kept = isReset ? [] : sets',
    replace: 'const kept: typeof sets = []',
    seed: 1,
    showsIn: compares,
  },
  'deletes-accepted-for-a-later-run': {
    breaks: 'deletes-guarded',
    file: 'functions/compare/compute-set.ts',
    find: 'acceptDeletes && (of ?? runId) === runId',
    replace: 'acceptDeletes',
    seed: 1,
    showsIn: compares,
  },
  'listed-sets-cleaned-up': {
    breaks: 'sets-whole',
    file: 'functions/state/changes/change-chain.ts',
    find: 'run < chain.tip && run < oldest && !listed.has(run)',
    replace: 'run < chain.tip',
    seed: 26,
    showsIn: compares,
  },
} as const satisfies Record<string, PlantedBug>
