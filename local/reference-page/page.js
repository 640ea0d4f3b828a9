/* global SwaggerUIBundle -- of swagger-ui-dist */

const darkMode = matchMedia('(prefers-color-scheme: dark)')
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', darkMode.matches)
darkMode.addEventListener('change', followColorScheme)
followColorScheme()

const [description, instance, syncs] = await Promise.all(
  ['/openapi.json', '/local.json', '/syncs'].map(readJson),
)
const isReal = instance.platform === 'real'

document.getElementById('platform').textContent = isReal
  ? `Requests reach the real platform at ${instance.baseUrl}. PATCH changes its data.`
  : 'The platform is a stand-in on this machine. The examples work as they are.'
document.getElementById('note').classList.toggle('real', isReal)

SwaggerUIBundle({
  spec: withExistingIds(description, syncs.entities),
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  requestInterceptor: confirmed,
  // Nothing leaves this machine: the library would have the description checked by a public validator.
  validatorUrl: null,
})

async function readJson(path) {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} returned ${response.status}.`)
  return response.json()
}

/** The description with a run that exists as the example of each run, so that the request succeeds. */
function withExistingIds({ paths, components, ...rest }, entities) {
  const published = entities.find(({ snapshot }) => snapshot !== null)
  const examples = {
    entity: published?.entity,
    runId: published?.snapshot.runId,
    since: published?.snapshot.runId,
  }
  const withExample = ({ example, ...parameter }) => {
    const value = parameter.name in examples ? examples[parameter.name] : example
    return value === undefined ? parameter : { ...parameter, example: value }
  }
  const withExamples = (operation) =>
    operation.parameters ? { ...operation, parameters: operation.parameters.map(withExample) } : operation
  const mapped = Object.entries(paths).map(([path, operations]) => [
    path,
    mapValues(operations, withExamples),
  ])
  const parameters = mapValues(components.parameters, withExample)
  return { ...rest, paths: Object.fromEntries(mapped), components: { ...components, parameters } }
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
}

function confirmed(request) {
  const question = 'This request changes data of the real platform. Send it?'
  if (!isReal || request.method !== 'PATCH' || window.confirm(question)) return request
  throw new Error('The request was not sent.')
}
