import { type ExportedResponses, exportVariable } from '../contract.ts'

/** The responses of an exported page; undefined if a server answers. */
export const exported = (globalThis as { readonly [exportVariable]?: ExportedResponses })[exportVariable]
