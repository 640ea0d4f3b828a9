import { type DescribedRoute, type Parameter, parameterRef } from './openapi-form.ts'

/** The parameters that several routes have, by name. */
export function sharedParameters(routes: readonly DescribedRoute[]): ReadonlyMap<string, Parameter> {
  const all = routes.flatMap(({ operation }) => operation.parameters ?? [])
  const texts = all.map((parameter) => JSON.stringify(parameter))
  const isRepeated = (_: Parameter, index: number) => texts.indexOf(texts[index] ?? '') < index
  const found = all.filter(isRepeated).filter(({ name }) => /^[\w.-]+$/.test(name))
  return new Map(found.map((parameter) => [parameter.name, parameter]))
}

/** A reference to the shared parameter that is the same, if there is one. */
export function shortened(parameter: Parameter, shared: ReadonlyMap<string, Parameter>) {
  const isSame = JSON.stringify(shared.get(parameter.name)) === JSON.stringify(parameter)
  return isSame ? parameterRef(parameter.name) : parameter
}
