/** The part of JSON Schema that describes the platform's bodies to callers and checks them. */
export interface FieldSchema {
  readonly type: FieldType | readonly [FieldType, 'null']
  readonly description?: string
  /** Members with other names are allowed. */
  readonly properties?: Readonly<Record<string, FieldSchema>>
  /** Schema of every member; not together with `properties`. */
  readonly additionalProperties?: FieldSchema
  readonly items?: FieldSchema
  /** Of a string; `description` then names the format. */
  readonly pattern?: string
}

export type FieldType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/**
 * The platform's bodies, by sections 2.2 and 2.3 of its interface. Every member but `item` may be null, since the
 * interface does not say what null means in a patch.
 */
const text: FieldSchema = { type: ['string', 'null'] }
const whole: FieldSchema = { type: ['integer', 'null'] }
const number: FieldSchema = { type: ['number', 'null'] }
const flag: FieldSchema = { type: ['boolean', 'null'] }
const listOf = (items: FieldSchema): FieldSchema => ({ type: ['array', 'null'], items })
const object = (properties: Readonly<Record<string, FieldSchema>>): FieldSchema => ({
  type: ['object', 'null'],
  properties,
})
const strings = (...names: string[]) => Object.fromEntries(names.map((name) => [name, text]))

/**
 * ISO 8601 allows more than RFC 3339 and the `date-time` of JSON Schema: basic forms, weeks, days of the year, no zone.
 * Whether a day exists is left to the platform.
 */
const dateTime: FieldSchema = {
  type: ['string', 'null'],
  description: 'ISO 8601 date-time',
  pattern:
    '^\\d{4}-?(?:\\d{2}-?\\d{2}|W\\d{2}-?\\d|\\d{3})[Tt]\\d{2}(?::?\\d{2}(?::?\\d{2})?)?(?:[.,]\\d+)?(?:[Zz]|[+-]\\d{2}(?::?\\d{2})?)?$',
}

const sku = object(strings('id', 'name', 'productName', 'imageUrl', 'detailUrl', 'nameComplete'))

const texts: FieldSchema = { type: ['object', 'null'], additionalProperties: text }
const metadata = listOf(object({ name: text, properties: texts }))

/** Members of both a subscription and a group. */
const parts = {
  plan: object({
    frequency: object({ periodicity: text, interval: whole }),
    validity: object({ begin: dateTime, end: dateTime }),
    type: text,
  }),
  purchaseSettings: object({
    purchaseDay: text,
    paymentMethod: object(strings('paymentSystem', 'paymentAccountId')),
    ...strings('seller', 'salesChannel', 'selectedSla', 'currencyCode'),
  }),
  shippingAddress: object({
    ...strings('addressId', 'street', 'number', 'complement', 'neighborhood', 'city', 'state', 'country'),
    ...strings('postalCode', 'reference', 'formattedAddress', 'receiverName', 'addressType', 'addressName'),
    additionalComponents: listOf(object({ ...strings('longName', 'shortName'), types: listOf(text) })),
    geoCoordinate: listOf(number),
  }),
  status: text,
  isSkipped: flag,
  metadata,
}

const subscriptionPatchWith = (itemFields: Readonly<Record<string, FieldSchema>>): FieldSchema => ({
  type: 'object',
  description: 'The parts of a subscription to change. Other members are forwarded unchanged.',
  properties: { item: { type: 'object', description: 'One item', properties: itemFields }, ...parts },
})

const itemFields = {
  sku,
  quantity: whole,
  priceAtSubscriptionDate: whole,
  sellingPrice: {
    ...whole,
    description: 'The interface also writes SellingPrice, which is accepted and forwarded as well',
  },
  endpoint: text,
}

/** Without `SellingPrice`: generated clients in Go do not compile if two names differ in case only. */
export const describedSubscriptionPatch = subscriptionPatchWith(itemFields)

export const subscriptionPatch = subscriptionPatchWith({ ...itemFields, SellingPrice: whole })

export const subscriptionGroupPatch: FieldSchema = {
  type: 'object',
  description: 'The parts of a subscription group to change. Other members are forwarded unchanged.',
  properties: {
    item: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          sku,
          quantity: whole,
          endpoint: text,
          priceAtSubscriptionDate: number,
          sellingPrice: number,
          SubscriptionId: text,
          cycleCount: whole,
          status: { ...text, description: 'For example ACTIVE' },
          createdAt: dateTime,
          lastUpdate: dateTime,
          originalOrderId: text,
          originalItemIndex: whole,
          metadata,
          isSkipped: flag,
        },
      },
    },
    ...parts,
  },
}
