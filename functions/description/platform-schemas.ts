import type { Schema } from './openapi-form.ts'

/**
 * What the platform's bodies hold, by sections 2.1 to 2.3 of its interface description. Other members pass, both
 * ways; a patch may hold null for any member but `item`, since what null means there is the platform's to say.
 */
const text: Schema = { type: ['string', 'null'] }
const whole: Schema = { type: ['integer', 'null'] }
const number: Schema = { type: ['number', 'null'] }
const yesOrNo: Schema = { type: ['boolean', 'null'] }
const dateTime: Schema = { type: ['string', 'null'], format: 'date-time', description: 'ISO 8601' }
const listOf = (items: Schema): Schema => ({ type: ['array', 'null'], items })
const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: ['object', 'null'],
  properties,
})
const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, text]))

const sku = object(texts('id', 'name', 'productName', 'imageUrl', 'detailUrl', 'nameComplete'))

const metadata = listOf(
  object({
    name: text,
    properties: { type: ['object', 'null'], additionalProperties: text },
  }),
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

export const platformSchemas: Readonly<Record<string, Schema>> = {
  Dock: {
    type: 'object',
    description: 'A fulfilment location.',
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      priority: { type: 'integer' },
      dockTimeFake: { type: 'string', description: 'A duration, days.hh:mm:ss' },
      timeFakeOverhead: { type: 'string', description: 'A duration, hh:mm:ss' },
      salesChannels: { type: 'array', items: { type: 'string' } },
      salesChannel: { description: 'Null, or a value whose form the interface does not tell' },
      freightTableIds: { type: 'array', items: { type: 'string' } },
      wmsEndPoint: { type: 'string', description: 'May be empty' },
      pickupStoreInfo: {
        type: 'object',
        properties: {
          isPickupStore: { type: 'boolean' },
          storeId: { description: 'Nullable' },
          friendlyName: { description: 'Nullable' },
          address: { description: 'Nullable' },
          additionalInfo: { description: 'Nullable' },
          dockId: { description: 'Nullable' },
        },
      },
    },
  },
  SubscriptionPatch: {
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
  },
  SubscriptionGroupPatch: {
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
  },
  Document: { type: 'object', description: 'A document of a data entity, with whatever fields it has.' },
}

export const platformExamples = {
  dock: {
    id: '1',
    name: 'Main warehouse',
    priority: 0,
    dockTimeFake: '1.00:00:00',
    timeFakeOverhead: '02:30:00',
    salesChannels: ['1', '2'],
    salesChannel: null,
    freightTableIds: ['standard', 'express'],
    wmsEndPoint: '',
    pickupStoreInfo: {
      isPickupStore: false,
      storeId: null,
      friendlyName: null,
      address: null,
      additionalInfo: null,
      dockId: null,
    },
  },
  subscriptionPatch: {
    item: { sku: { id: '310' }, quantity: 2 },
    plan: { frequency: { periodicity: 'MONTHLY', interval: 1 } },
  },
  subscriptionGroupPatch: { item: [{ sku: { id: '310' }, quantity: 2 }] },
  documents: [
    { id: 'cl-1', email: 'ana@example.com', isNewsletterOptIn: true },
    { id: 'cl-2', email: 'joao@example.com', isNewsletterOptIn: false },
  ],
} as const
