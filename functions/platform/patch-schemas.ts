/** The part of JSON Schema by which the platform's bodies are both described to callers and checked. */
export interface FieldSchema {
  readonly type: FieldType | readonly [FieldType, 'null']
  readonly description?: string
  /** Members with other names pass. */
  readonly properties?: Readonly<Record<string, FieldSchema>>
  /** Of every member; not beside `properties`. */
  readonly additionalProperties?: FieldSchema
  readonly items?: FieldSchema
  /** Of a text; `description` then says what it is. */
  readonly pattern?: string
}

export type FieldType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'

/**
 * What the platform's bodies hold, by sections 2.2 and 2.3 of its interface description. A patch may hold null for
 * any member but `item`, since what null means there is the platform's to say.
 */
const text: FieldSchema = { type: ['string', 'null'] }
const whole: FieldSchema = { type: ['integer', 'null'] }
const number: FieldSchema = { type: ['number', 'null'] }
const yesOrNo: FieldSchema = { type: ['boolean', 'null'] }
const listOf = (items: FieldSchema): FieldSchema => ({ type: ['array', 'null'], items })
const object = (properties: Readonly<Record<string, FieldSchema>>): FieldSchema => ({
  type: ['object', 'null'],
  properties,
})
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, text]))

/**
 * The interface says ISO 8601, which is wider than RFC 3339 and so than the `date-time` of JSON Schema: basic forms,
 * weeks, days of the year, no zone. Whether a day exists in its month is the platform's to say.
 */
const dateTime: FieldSchema = {
  type: ['string', 'null'],
  description: 'ISO 8601 date-time',
  pattern:
    '^\\d{4}-?(?:\\d{2}-?\\d{2}|W\\d{2}-?\\d|\\d{3})[Tt]\\d{2}(?::?\\d{2}(?::?\\d{2})?)?(?:[.,]\\d+)?(?:[Zz]|[+-]\\d{2}(?::?\\d{2})?)?$',
}

const sku = object(texts('id', 'name', 'productName', 'imageUrl', 'detailUrl', 'nameComplete'))

const metadata = listOf(
  object({ name: text, properties: { type: ['object', 'null'], additionalProperties: text } }),
)

/** The same in a subscription and in a group. */
const parts = {
  plan: object({
    frequency: object({ periodicity: text, interval: whole }),
    validity: object({ begin: dateTime, end: dateTime }),
    type: text,
  }),
  purchaseSettings: object({
    purchaseDay: text,
    paymentMethod: object(texts('paymentSystem', 'paymentAccountId')),
    ...texts('seller', 'salesChannel', 'selectedSla', 'currencyCode'),
  }),
  shippingAddress: object({
    ...texts('addressId', 'street', 'number', 'complement', 'neighborhood', 'city', 'state', 'country'),
    ...texts('postalCode', 'reference', 'formattedAddress', 'receiverName', 'addressType', 'addressName'),
    additionalComponents: listOf(object({ ...texts('longName', 'shortName'), types: listOf(text) })),
    geoCoordinate: listOf(number),
  }),
  status: text,
  isSkipped: yesOrNo,
  metadata,
}

export const subscriptionPatch: FieldSchema = {
  type: 'object',
  description: 'The parts of a subscription to change. Other members go up as they are.',
  properties: {
    item: {
      type: 'object',
      description: 'One item',
      properties: {
        sku,
        quantity: whole,
        priceAtSubscriptionDate: whole,
        sellingPrice: whole,
        SellingPrice: { ...whole, description: 'Another spelling of sellingPrice in the interface' },
        endpoint: text,
      },
    },
    ...parts,
  },
}

export const subscriptionGroupPatch: FieldSchema = {
  type: 'object',
  description: 'The parts of a subscription group to change. Other members go up as they are.',
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
          status: { ...text, description: 'Such as ACTIVE' },
          createdAt: dateTime,
          lastUpdate: dateTime,
          originalOrderId: text,
          originalItemIndex: whole,
          metadata,
          isSkipped: yesOrNo,
        },
      },
    },
    ...parts,
  },
}
