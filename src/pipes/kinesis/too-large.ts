/** What decoders throw when their output would have more bytes than allowed. */
export class TooLarge extends Error {}
