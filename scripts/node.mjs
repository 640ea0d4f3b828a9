// `node scripts/node.mjs FILE [ARGUMENTS]` runs a TypeScript file of this checkout, on any version of Node.
import { fileURLToPath } from 'node:url'
import { startProgram } from '../cli/supported-node.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const [file = '', ...args] = process.argv.slice(2)
await startProgram(`${root}${file}`, args, `${root}node_modules`)
