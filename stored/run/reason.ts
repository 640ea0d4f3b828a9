import type { Run } from './run.ts'

const stepsAfterRefusal: Readonly<Record<string, string>> = {
  maxShrinkPercent: 'Review and accept it, or sync again.',
  idField: 'Correct idField, or review and accept it.',
}

/** Why a run published nothing, for callers: of a refused one also how to go on, as long as nobody has accepted it. */
export function reasonWithStep(run: Extract<Run, { readonly reason: string }>): string {
  const refusedBy = 'guarded' in run && !run.accepted ? run.guarded?.refusedBy : undefined
  const step = run.status === 'refused' ? stepsAfterRefusal[refusedBy ?? ''] : undefined
  return step === undefined ? run.reason : `${run.reason} ${step}`
}
