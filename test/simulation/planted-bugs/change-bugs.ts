import { compares, hasIncrements, type PlantedBug } from './planted-bug.ts'

/** Bugs of change sets. */
export const changeBugs = {
  'first-part-listed': {
    breaks: 'changes-true',
    file: 'functions/compare/compare.ts',
    find: 'parts: await io.records.finish()',
    replace: 'parts: (await io.records.finish()).slice(0, 1)',
    seed: 1376,
    showsIn: ({ scale }) => scale === 'heavy',
  },
  'cursor-too-new': {
    breaks: 'readers-follow',
    file: 'functions/state/changes/change-chain.ts',
    find: 'chain.sets.slice(first)',
    replace: 'chain.sets.slice(first + 1)',
    seed: 35,
    showsIn: compares,
  },
  'chain-unconditional': {
    breaks: 'chain-forward',
    file: 'functions/state/changes/change-sets.aws.ts',
    find: 'objects.putIf(changesLatestKey(entity), expected, jsonText(latest))',
    replace: 'objects.put(changesLatestKey(entity), jsonText(latest)).then(() => true)',
    seed: 174,
    showsIn: (scenario) => compares(scenario) && !hasIncrements(scenario),
  },
  'guard-by-count': {
    breaks: 'deletes-guarded',
    file: 'functions/compare/compare.ts',
    find: 'refusal({ ...deletes,',
    replace: 'refusal({ ...deletes, deleted: joined.baseDocuments - joined.targetDocuments,',
    seed: 126,
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
