import type { FaultRule } from '../local/stand-in/faults.ts'

export function onSearch(entity?: string): FaultRule['match'] {
  return (request) => request.kind === 'search' && (entity === undefined || entity === request.name)
}

export function onDock(dockId?: string): FaultRule['match'] {
  return (request) => request.kind === 'dock' && (dockId === undefined || dockId === request.name)
}

/** Updates of a group and of a subscription. */
export function onPatch(id?: string): FaultRule['match'] {
  return (request) =>
    (request.kind === 'group' || request.kind === 'subscription') && (id === undefined || id === request.name)
}

export function duplicateDocument(index = 0): (documents: Buffer[]) => Buffer[] {
  return (documents) => documents.flatMap((bytes, at) => (at === index ? [bytes, bytes] : [bytes]))
}

export function dropDocument(index = 0): (documents: Buffer[]) => Buffer[] {
  return (documents) => documents.filter((_, at) => at !== index)
}

export const noDocuments = (): Buffer[] => []
