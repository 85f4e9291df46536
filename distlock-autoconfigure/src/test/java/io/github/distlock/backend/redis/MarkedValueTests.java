package io.github.distlock.backend.redis;

import java.util.List;
import java.util.stream.Stream;

import io.github.distlock.testing.RespConnection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A JVM of an earlier version may have written a zero before the count of its grant. Each
 * script, on a real server, treats that value as one without the zero.
 */
class MarkedValueTests extends ScriptServer {

	/** The first token of the grant, and one that was used. */
	private static final String FIRST = "1790000000000000";

	private static final String USED = "1790000000000005";

	private RespConnection client;

	private RespConnection inbox;

	@BeforeEach
	void connect() {
		this.client = new RespConnection(server.port());
		this.inbox = new RespConnection(server.port());
		this.inbox.ask("SUBSCRIBE", "distlock:inbox:b");
	}

	@AfterEach
	void disconnect() {
		this.client.close();
		this.inbox.close();
	}

	/** Commands of the owner {@code a:1}, of other tickets and of an operator. */
	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			attempt.lua a:1 30000 T501; granted,FIRST,TTL
			attempt.lua c:1 30000 T501; waiting,0,TTL,NOW,1,a:1,FIRST
			attempt.lua c:1 30000 S501; waiting,0,TTL,NOW,1,a:1,FIRST
			attempt.lua c:1 30000 N501; busy,TTL,a:1,FIRST
			attempt.lua c:FR1 30000 T; waiting,0,TTL,NOW,1,a:1,FIRST
			attempt.lua c:FR1 30000 N; busy,TTL,a:1,FIRST
			release.lua a:1 USED; ok
			release.lua a:1 0; ok
			release.lua a:1 USED a:2 30000 T501; granted,NOW,TTL
			release.lua a:1 0 a:2 30000 S501; granted,NOW,TTL
			release.lua c:1 USED; gone
			renew.lua a:1|COUNT|FIRST 90000; 1
			renew.lua a:1|77|FIRST 90000; 0
			renew.lua c:1|501|FIRST 90000; 2
			cancel.lua a:1; ok
			cancel.lua c:1; gone
			end.lua FIRST; ended
			end.lua USED; changed
			inspect.lua; a:1,FIRST,TTL
			admit.lua; ok
			""")
	void itIsReadAsOneWithoutTheZero(String command, String answer) {
		assertSame(command, answer, false);
	}

	/**
	 * The same while the ticket {@code b:1} waits. Only the JVM of the owner sends a
	 * release, and has the scripts that wrote the value.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = ';', textBlock = """
			attempt.lua a:1 30000 T501; granted,FIRST,TTL
			attempt.lua b:1 30000 T501; waiting,0,TTL,NOW,0,a:1,FIRST
			attempt.lua c:1 30000 T501; waiting,1,TTL,NOW,1,a:1,FIRST
			attempt.lua c:1 30000 S501; waiting,1,TTL,NOW,1,a:1,FIRST
			attempt.lua c:1 30000 N501; busy,TTL,a:1,FIRST
			attempt.lua c:FR1 30000 T; waiting,1,TTL,NOW,1,a:1,FIRST
			renew.lua a:1|COUNT|FIRST 90000; 1
			cancel.lua a:1; ok
			cancel.lua b:1; ok
			end.lua FIRST; ended
			inspect.lua; a:1,FIRST,TTL b:1
			admit.lua; ok
			""")
	void itIsReadAsOneWithoutTheZeroWhileATicketWaits(String command, String answer) {
		assertSame(command, answer, true);
	}

	private void assertSame(String command, String answer, boolean waits) {
		List<String> marked = run(command, waits, "0501");
		assertThat(marked).first().isEqualTo(answer);
		assertThat(marked).isEqualTo(run(command, waits, "501"));
	}

	/** Returns the answer and the data of the lock afterwards. */
	private List<String> run(String command, boolean waits, String count) {
		this.client.ask("FLUSHALL");
		this.client.ask("SET", LOCK, "-a:1|" + count + "|" + FIRST, "PX", "30000");
		if (waits) {
			eval("attempt.lua b:1 30000 T501".split(" "));
		}
		Object result = eval(command.replace("COUNT", count).replace("FIRST", FIRST).replace("USED", USED).split(" "));
		return Stream
			.of(result, this.client.ask("GET", LOCK), this.client.ask("ZRANGE", KEYS.get(1), "0", "-1"),
					this.client.ask("ZRANGE", KEYS.get(2), "0", "-1"))
			.map(String::valueOf)
			.map((text) -> text.replace("\n", " ")
				.replace("a:1|0501|", "a:1|501|")
				.replace(FIRST, "FIRST")
				.replaceAll("\\b(?!179000000)\\d{16}\\b", "NOW")
				.replaceAll("\\b(29\\d{3}|30000)\\b", "TTL"))
			.toList();
	}

	private Object eval(String[] command) {
		List<String> keys = command[0].equals("renew.lua") ? KEYS.subList(0, 1) : KEYS;
		String script = Scripts.script(String.class, command[0]).getScriptAsString();
		return this.client.ask(Stream
			.of(Stream.of("EVAL", script, Integer.toString(keys.size())), keys.stream(), Stream.of(command).skip(1))
			.flatMap((words) -> words)
			.toArray(String[]::new));
	}

}
