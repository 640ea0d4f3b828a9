import { optionalTools } from './optional-tools.ts'
import { virtualEnvironment } from './virtual-environment.ts'

/** The folder of the programs that a requirements file pins; undefined without a usable Python 3. */
export function pythonTools(name: string, requirements: URL): Promise<string | undefined> {
  const needs = 'Python 3.11 or newer with venv, and a package index'
  return optionalTools({ name, needs }, (cleanUp) => virtualEnvironment({ name, requirements }, cleanUp))
}
