import type { Bucket } from './bucket.ts'
import type { Version } from './journal.ts'
import { type Listed, type ListingPage, listingPage, type WantedListing } from './listing.ts'
import { S3Error } from './s3-error.ts'
import { type Xml, xmlDocument } from './xml.ts'

/** S3's limit of a page. */
const maxPageKeys = 1000

interface Listing {
  readonly name: string
  readonly bucket: Bucket
  readonly parameters: URLSearchParams
}

/** ListObjectsV2, and ListObjects, in which the next page begins after a key. */
export function listObjects({ name, bucket, parameters }: Listing): string {
  const isFirstVersion = !parameters.has('list-type')
  const token = parameters.get('continuation-token')
  const after = parameters.get(isFirstVersion ? 'marker' : 'start-after')
  const key = token === null ? after : Buffer.from(token, 'base64url').toString()
  const current = bucket.versions.filter(
    (version) => version.kind === 'object' && bucket.latest(version.key) === version,
  )
  const wanted = wantedOf(parameters, { key: key ?? '', versionId: '' })
  const page = listingPage(current, wanted)
  const owned = isFirstVersion || parameters.get('fetch-owner') === 'true' ? { Owner: owner } : {}
  return xmlDocument('ListBucketResult', {
    Name: name,
    ...commonElements(parameters, wanted, page),
    KeyCount: page.entries.length + page.commonPrefixes.length,
    StartAfter: sent(parameters, 'start-after'),
    ContinuationToken: token ?? undefined,
    NextContinuationToken: page.next && Buffer.from(page.next.key).toString('base64url'),
    Marker: isFirstVersion ? (sent(parameters, 'marker') ?? '') : undefined,
    NextMarker: isFirstVersion && page.next ? encoded(page.next.key, parameters) : undefined,
    Contents: page.entries.map((version) => ({ ...elementsOfVersion(version, parameters), ...owned })),
  })
}

export function listObjectVersions({ name, bucket, parameters }: Listing): string {
  const after = {
    key: parameters.get('key-marker') ?? '',
    versionId: parameters.get('version-id-marker') ?? '',
  }
  const wanted = wantedOf(parameters, after)
  const page = listingPage(bucket.versions, wanted)
  const listed = (kind: Version['kind']) =>
    page.entries
      .filter((version) => version.kind === kind)
      .map((version) => ({
        ...elementsOfVersion(version, parameters),
        VersionId: version.versionId,
        IsLatest: bucket.latest(version.key) === version,
        Owner: owner,
      }))
  return xmlDocument('ListVersionsResult', {
    Name: name,
    ...commonElements(parameters, wanted, page),
    KeyMarker: sent(parameters, 'key-marker') ?? '',
    VersionIdMarker: after.versionId,
    NextKeyMarker: page.next && encoded(page.next.key, parameters),
    NextVersionIdMarker: page.next?.versionId,
    Version: listed('object'),
    DeleteMarker: listed('delete-marker'),
  })
}

function wantedOf(parameters: URLSearchParams, after: Listed): WantedListing {
  const maxKeys = Number(parameters.get('max-keys') ?? maxPageKeys)
  if (!Number.isInteger(maxKeys) || maxKeys < 0)
    throw new S3Error('InvalidArgument', 'max-keys must be a whole number of at least 0.')
  const [prefix = '', delimiter = ''] = ['prefix', 'delimiter'].map((name) => parameters.get(name) ?? '')
  return { prefix, delimiter, after, maxKeys: Math.min(maxKeys, maxPageKeys) }
}

/** Of everything. Its name is not sent any more. */
export const owner = { ID: '0'.repeat(64) }

/** A parameter that S3 repeats in its response; undefined if it was not sent. */
function sent(parameters: URLSearchParams, name: string): string | undefined {
  const value = parameters.get(name)
  return value === null ? undefined : encoded(value, parameters)
}

function commonElements(parameters: URLSearchParams, { maxKeys }: WantedListing, page: ListingPage<Listed>) {
  return {
    Prefix: sent(parameters, 'prefix') ?? '',
    Delimiter: sent(parameters, 'delimiter'),
    MaxKeys: maxKeys,
    EncodingType: parameters.get('encoding-type') ?? undefined,
    IsTruncated: page.next !== undefined,
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encoded(prefix, parameters) })),
  }
}

function elementsOfVersion(version: Version, parameters: URLSearchParams) {
  return {
    Key: encoded(version.key, parameters),
    LastModified: new Date(version.writtenAt).toISOString(),
    ...(version.kind === 'object' && {
      ETag: version.etag,
      Size: version.sizeBytes,
      StorageClass: 'STANDARD',
    }),
  } satisfies Xml
}

const encoded = (text: string, parameters: URLSearchParams) =>
  parameters.get('encoding-type') === 'url' ? encodeURIComponent(text).replaceAll('%2F', '/') : text
