export const keyOperand = ['<key>', 'id or name of the key; not what one logs in with'] as const
