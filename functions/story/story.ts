import type { Run } from '../../stored/run/run.ts'
import { endingNotes, eventsOf, type StoryNote } from './notes.ts'
import { type Phase, phaseOf, type StoryFacts, spansOf } from './phases.ts'

/** What happened in a run. */
export interface Story {
  /** What it did, in order, with durations. */
  readonly phases: readonly Phase[]
  /** Attempts, waits and faults, in sentences. */
  readonly events: readonly StoryNote[]
  readonly outcome: readonly StoryNote[]
}

export const storyOf = (run: Run, facts: StoryFacts): Story => ({
  phases: spansOf(run, facts).map((span) => phaseOf(span, facts.now)),
  events: eventsOf(run, facts.now),
  outcome: endingNotes(run),
})
