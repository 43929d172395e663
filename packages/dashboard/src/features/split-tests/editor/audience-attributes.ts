/** What pages know by themselves, with what it is. */
export const PAGE_ATTRIBUTES: Readonly<Record<string, string>> = {
  path: 'Path of the page, such as /pricing',
  'query.': 'A parameter of the address, such as query.coupon',
  referrer: 'Page that the visit came from, without its parameters',
  'utm.source': 'Campaign of the visit: who sent the visitor, such as newsletter',
  'utm.medium': 'Campaign of the visit: the kind of link, such as email',
  'utm.campaign': 'Campaign of the visit: its name',
  'utm.term': 'Campaign of the visit: the search term that was paid for',
  'utm.content': 'Campaign of the visit: which of several links',
  language: 'First language of the browser, such as en-US',
  device: 'desktop, mobile or tablet',
  browser: 'Such as Chrome, Firefox or Safari',
  returning: 'true from the second visit of the browser on',
  hour: 'Hour on the visitor’s clock, from 0 to 23',
  userId: 'The user of identify',
};
