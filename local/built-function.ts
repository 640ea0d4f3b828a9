import { existsSync } from 'node:fs'
import type { FunctionName } from '../functions/http/lambda-functions.ts'
import { lazy } from '../functions/runtime/lazy.ts'
import { UsageError } from '../operator/errors.ts'
import type { LambdaHandler } from './lambda.ts'

/** Loads a built function at its first invocation, when the environment is complete. */
export function builtFunction(name: FunctionName): LambdaHandler {
  const file = builtFile(name)
  const loaded = lazy(() => import(file.href) as Promise<{ handler: LambdaHandler }>)
  return async (event, context) => (await loaded()).handler(event, context)
}

/** The file of a built function. Throws `UsageError` if it is missing. */
export function builtFile(name: FunctionName): URL {
  const file = new URL(`../dist/${name}/handler.mjs`, import.meta.url)
  if (existsSync(file)) return file
  throw new UsageError(`dist/${name}/handler.mjs is missing: run npm run build first.`)
}
