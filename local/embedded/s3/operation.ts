import { decodedPart } from '../../../functions/http/path-template.ts'
import { S3Error } from './s3-error.ts'

const overrides = ['type', 'disposition', 'encoding', 'language'].map((name) => `response-content-${name}`)
const ofReads = ['versionId', 'response-cache-control', 'response-expires', ...overrides]
const ofListings = ['prefix', 'delimiter', 'max-keys', 'encoding-type']

/** What is served. The marker is the parameter that selects the operation. */
const operations = [
  { name: 'ListBuckets', method: 'GET', of: 'account', parameters: [] },
  { name: 'HeadBucket', method: 'HEAD', of: 'bucket', parameters: [] },
  { name: 'GetBucketLocation', method: 'GET', of: 'bucket', marker: 'location', parameters: [] },
  {
    name: 'ListObjectsV2',
    method: 'GET',
    of: 'bucket',
    marker: 'list-type',
    parameters: [...ofListings, 'continuation-token', 'start-after', 'fetch-owner'],
  },
  { name: 'ListObjects', method: 'GET', of: 'bucket', parameters: [...ofListings, 'marker'] },
  {
    name: 'ListObjectVersions',
    method: 'GET',
    of: 'bucket',
    marker: 'versions',
    parameters: [...ofListings, 'key-marker', 'version-id-marker'],
  },
  { name: 'DeleteObjects', method: 'POST', of: 'bucket', marker: 'delete', parameters: [] },
  { name: 'GetObject', method: 'GET', of: 'object', parameters: ofReads },
  { name: 'HeadObject', method: 'HEAD', of: 'object', parameters: ofReads },
  { name: 'PutObject', method: 'PUT', of: 'object', parameters: [] },
  { name: 'DeleteObject', method: 'DELETE', of: 'object', parameters: ['versionId'] },
] as const satisfies readonly Operation[]

interface Operation {
  readonly name: string
  readonly method: string
  readonly of: 'account' | 'bucket' | 'object'
  readonly marker?: string
  readonly parameters: readonly string[]
}

export type OperationName = (typeof operations)[number]['name']

export interface Call {
  readonly operation: OperationName
  /** Empty in a call of the account. */
  readonly bucket: string
  /** Empty in a call of a bucket. */
  readonly key: string
  readonly parameters: URLSearchParams
}

/** What a request calls. Throws `S3Error` if it is not served here. */
export function readCall(method: string, url: string): Call {
  const [path = '', query = ''] = url.split('?')
  const decoded = decodedPart(path.slice(1))
  if (decoded === undefined)
    throw new S3Error('InvalidRequest', `The path ${path.slice(1)} has a malformed escape.`)
  const [bucket = '', ...parts] = decoded.split('/')
  const key = parts.join('/')
  const parameters = new URLSearchParams(query)
  const names = [...parameters.keys()].filter((name) => !/^x-(amz-|id$)/i.test(name))
  const target = key !== '' ? 'object' : bucket !== '' ? 'bucket' : 'account'
  const found = operations.find(
    (operation: Operation) =>
      operation.method === method &&
      operation.of === target &&
      (operation.marker === undefined || names.includes(operation.marker)) &&
      names.every((name) => name === operation.marker || operation.parameters.includes(name)),
  )
  if (found) return { operation: found.name, bucket, key, parameters }
  const served = operations.map(({ name }) => name).join(', ')
  throw new S3Error(
    'NotImplemented',
    `The S3 of npm start does not have ${method} of this ${target} with the parameters ${names.join(', ') || 'none'}. It has ${served}.`,
  )
}
