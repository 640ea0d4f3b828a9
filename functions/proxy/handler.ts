import { forHttpEvents } from '../http/event.ts'
import { areasWith } from '../platform/areas.ts'
import { endpointsWith } from '../platform/configured-endpoints.ts'
import { environment, readSettings, required } from '../runtime/environment.ts'
import { lazy } from '../runtime/lazy.ts'
import { createUpstream } from '../upstream/client.ts'
import { credentialsFromSecretsManager } from '../upstream/credentials.aws.ts'
import { createResponseStore } from './idempotency/stored-response.ts'
import { withIdempotency } from './idempotency/with-idempotency.ts'
import { createProxy } from './proxy.ts'

const { upstream: settings, validation, endpoints, credentials: secrets } = readSettings()
const areas = areasWith(endpoints)
const credentials = credentialsFromSecretsManager(areas, secrets)

// The secrets are read while the function starts. If one cannot be read, the requests that need it fail with the
// reason.
for (const area of areas) credentials.get(area).catch(() => undefined)

// Few requests have an idempotency key: the first one loads the client of the table.
const responses = lazy(async () => {
  const { connectTable } = await import('../../stored/dynamodb/connect.aws.ts')
  return createResponseStore(connectTable(required(environment.table)))
})

const proxy = createProxy({
  settings,
  validation,
  endpoints: endpointsWith(endpoints),
  upstream: createUpstream({ settings, credentials }),
  withIdempotency: async (key, perform) => withIdempotency(await responses(), key, perform),
})

export const handler = forHttpEvents(proxy)
