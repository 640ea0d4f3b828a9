import { type ExportedResponses, exportVariable } from '../contract.ts'

/** The responses of an exported page; undefined while a server responds. */
export const exported = (globalThis as { readonly [exportVariable]?: ExportedResponses })[exportVariable]
