// Why a table did not do as it was asked, in Chinese too: by the code of the refusal, else in the table's own words.
import { lang } from "./words.js";

const ZH = {
  PHASE: "现在不能这样做：不在这个阶段", CLOSED: "牌桌还没有开始工作", DEALER: "发牌机没有应答",
  AREA: "出牌区还有牌，请先收走", PROMPT: "提示牌圈还有提示牌，请先收走", OUT: "这一家已经出完",
  TRIBUTE: "这一家不用贡牌", RETURN: "这一家不用还牌", PLAY: "本副没有这一手牌", ILLEGAL: "这样的牌在那里不能成立",
  CHANGED: "别人已先更正，与您看到的不同：请看现在的记录，仍不对再改",
  INCIDENT: "没有这件事，或已经处理过了", KIND: "没有这种事项", PENALTY: "没有这种判罚", ROLE: "没有这个权限，或需要裁判长",
  LAPSED: "没有这种丧失处罚权的理由", TYPE: "这一家现在不用指定牌型", EXCHANGE: "贡牌、还牌已经不能更正", DEAL: "还没有打完的牌副",
  RESULT: "结果已经不能更改", ORDER: "名次不完整", ENTER: "这一家不录入结果：由南、北家录入", CHECK: "这一家不核对结果：由东、西家核对",
  ENTERED: "结果尚未录入：由南、北家先录入", CHECKED: "已经说过，由裁判处理", DISPUTE: "这一手已有异议：请在那里表态",
  MATCH: "没有这样的赛制", LATE: "第一副之后不能再记迟到", LEVEL: "没有这一级", CLOCK: "现在没有计时", EMPTY: "没有牌",
  COUNTS: "张数不可能", LOGIN: "请先登录", EXPIRED: "指令过期，请再按一次", NOT_SENT: "牌桌没有应答，请看一看桌面", RELAY: "播出中继没有应答，请检查它是否在运行",
  CALLED: "因呼叫裁判而暂停：请单独选中这桌再继续", STOPPING: "牌桌正在关闭，没有受理", DEFECT: "程序出错，请保存日志", COMMAND: "指令不完整", CARD: "没有这张牌，例如 5D，10 写作 T",
};
const AWAY = ["没有应答：连接中断", "No answer: the connection is down"];

export function problemText(answer) {
  if (answer.away) return AWAY[lang === "en" ? 1 : 0];
  const known = lang === "en" ? "" : ZH[answer.code];
  return known || answer.problem || AWAY[lang === "en" ? 1 : 0];
}
