import { downloadAgain } from '../../../../operator/changes/chain.ts'
import { defaultInstancePath } from '../../../../operator/deployment/local-address.ts'

/** The change sets of CL in a bucket of `npm start`. */
export const localSource = (bucket: string) =>
  ({
    bucket,
    configuration: { entities: [{ name: 'CL' }] },
    entity: 'CL',
    target: { kind: 'local', path: defaultInstancePath },
    download: downloadAgain('CL'),
  }) as const
