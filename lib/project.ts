import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Whether this code was installed as a package. Otherwise it runs in a checkout of the repository. */
export const isInstalled = root.includes(`${sep}node_modules${sep}`)

/** The folder of longshore.config.ts and cdk.json: the checkout, or where the package is used. */
export const projectFolder = isInstalled ? process.cwd() : root
