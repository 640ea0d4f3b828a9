import type { DrivenRequest } from '../functions/worker/request.ts'

export const fullSync = { kind: 'full', acceptShrink: false, acceptDeletes: false } as const
export const shrinkingSync = { kind: 'full', acceptShrink: true, acceptDeletes: false } as const

/** The request with which the state machine gives a run up. */
export const failureOf = ({ driver, ...request }: DrivenRequest, name: string): DrivenRequest => ({
  ...request,
  driver: { ...driver, kind: 'record-failure', error: { name, cause: '' } },
})
