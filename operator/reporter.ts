import type { ProgressDisplay } from './text/progress.ts'

/** Where an operation reports its progress. */
export interface Reporter {
  note(text: string): void
  progress(title: string): ProgressDisplay
}

/** For work in the background. */
export const silentReporter: Reporter = {
  note: () => undefined,
  progress: () => ({ show: () => undefined, end: () => undefined }),
}
