import { changeBugs } from './change-bugs.ts'
import { incrementBugs } from './increment-bugs.ts'
import type { PlantedBug } from './planted-bug.ts'
import { runBugs } from './run-bugs.ts'
import { tableBugs } from './table-bugs.ts'

/** Bugs that no unit test finds, and for each invariant at least one. */
export const plantedBugs = {
  ...tableBugs,
  ...incrementBugs,
  ...changeBugs,
  ...runBugs,
} as const satisfies Record<string, PlantedBug>

export type BugName = keyof typeof plantedBugs
