import { type ExportedResponses, exportVariable } from '../contract/api.ts'

/** The responses of an exported page; undefined while a server responds. */
export const exported = (globalThis as { readonly [exportVariable]?: ExportedResponses })[exportVariable]
