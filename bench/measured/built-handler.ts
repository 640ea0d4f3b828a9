import type { LambdaHandler } from '../../local/lambda.ts'

/** Imports a built function, as Lambda does at a cold start. */
export async function builtHandler(name: string): Promise<LambdaHandler> {
  const file = new URL(`../../dist/${name}/handler.mjs`, import.meta.url)
  return ((await import(file.href)) as { handler: LambdaHandler }).handler
}
