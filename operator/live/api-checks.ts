import { callSigned } from '../aws/signed-call.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'
import { check, type LiveCheck, notAsked, type Place, type Verdict } from './live-check.ts'
import { signedVerdict, unsignedVerdict } from './verdicts.ts'

/** The name of no run, with what is encoded in a path: a space, a percent sign and a letter outside of ASCII. */
const noRun = encodeURIComponent('no run é%')

/** Whether the API refuses a call that is not signed, and accepts signed ones whose path is encoded. */
export function apiChecks(
  { apiUrl, configuration: { auth } }: Pick<Deployment, 'apiUrl' | 'configuration'>,
  { place, entity }: { readonly place: Place; readonly entity: string },
): Promise<LiveCheck[]> {
  const path = `/syncs/${entity}`
  // The first letter as %XX: the same entity, in a path that a client may send too.
  const encoded = `/syncs/%${entity.charCodeAt(0).toString(16)}${entity.slice(1)}`
  const get = (path: string, service?: string) =>
    callSigned({ method: 'GET', url: new URL(apiUrl.replace(/\/$/, '') + path), service })
  const signed = async (path: string, expected: 200 | 404): Promise<Verdict> =>
    auth.type === 'jwt'
      ? notAsked('The API takes tokens, not signatures. Call it with a token (docs/api.md).')
      : signedVerdict(expected, entity, await get(path, 'execute-api'))
  return Promise.all([
    check(
      place,
      {
        name: 'the API refuses an unsigned call',
        asked: `GET ${path} without a signature`,
        expected: auth.type === 'iam' ? '403' : '401',
      },
      async () => unsignedVerdict(auth.type, await get(path)),
    ),
    check(
      place,
      {
        name: 'the API accepts a signed call with an encoded letter',
        asked: `GET ${encoded}, signed`,
        expected: `200 with "entity":"${entity}"`,
      },
      () => signed(encoded, 200),
    ),
    check(
      place,
      {
        name: 'the API accepts a signed call with an encoded space, percent sign and é',
        asked: `GET ${path}/runs/${noRun}, signed`,
        expected: '404 with a problem document of Longshore',
      },
      () => signed(`${path}/runs/${noRun}`, 404),
    ),
  ])
}
