import { createBotCheck } from '@switchyard/core/evaluation/bot-check';
import { list } from 'isbot';

/** Whether a visitor is a crawler, a preview or a headless browser; the service decides by the same patterns. */
export const isBot = createBotCheck(list);
