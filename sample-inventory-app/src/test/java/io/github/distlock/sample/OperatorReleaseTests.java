package io.github.distlock.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator finds out which node holds a lock, and ends its grant: three nodes of the
 * sample over one Redis. The node that holds the lock is paused, as a machine that hangs.
 */
class OperatorReleaseTests {

	private static final String SELL = "/stock/book/deduct?strategy=distributed-lock";

	private static final String LOCK = "/actuator/distlocks?key=stock-book";

	private static final JsonMapper json = new JsonMapper();

	private static RedisServer redis;

	private static NodeProcess holder;

	private static NodeProcess waiter;

	private static NodeProcess bystander;

	@BeforeAll
	static void start() throws Exception {
		redis = TestRedis.start();
		int port = redis.ports().get(0);
		// The holder works until it is interrupted, and its lease would last a minute
		// without it.
		String lease = "--distlock.lease-time=60s";
		holder = new NodeProcess("holder", port, lease, "--shop.work=10m", "--distlock.on-lost=interrupt");
		waiter = new NodeProcess("waiter", port, lease, "--shop.wait-time=5s", "--distlock.log-slow-wait=1s",
				"--logging.level.io.github.distlock.web=debug");
		bystander = new NodeProcess("bystander", port, "--shop.wait-time=4m",
				"--management.endpoint.distlocks.access=unrestricted");
		for (NodeProcess node : new NodeProcess[] { holder, waiter, bystander }) {
			assertThat(node.send("PUT", "/stock/book?quantity=100").statusCode()).isEqualTo(200);
		}
	}

	@AfterAll
	static void stop() throws Exception {
		for (NodeProcess node : new NodeProcess[] { holder, waiter, bystander }) {
			if (node != null) {
				node.close();
			}
		}
		if (redis != null) {
			redis.stop();
		}
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofMinutes(4));
	}

	private static JsonNode get(NodeProcess node, String path) {
		HttpResponse<String> answer = node.send("GET", path);
		// 404 for a lock that is free.
		assertThat(answer.statusCode()).as(answer.body()).isIn(200, 404);
		return json.readTree(answer.body());
	}

	@Test
	void anOperatorEndsTheGrantOfAPausedNode() throws Exception {
		CompletableFuture<HttpResponse<String>> held = holder.sendAsync("POST", SELL);
		await().until(() -> get(holder, "/actuator/distlocks").at("/registries/redis/totals/held").asInt() == 1);
		holder.pause();
		String identity = "inventory@";

		HttpResponse<String> refused = waiter.send("POST", SELL);
		assertThat(refused.statusCode()).isEqualTo(409);
		assertThat(waiter.output())
			.containsPattern("Lock 'stock-book' \\(\\S+\\) was not acquired within PT5S: " + identity + "\\S+:"
					+ holder.pid() + " \\(\\S+\\) has held it since")
			.containsPattern("Slow wait: .* " + identity + "\\S+:" + holder.pid());

		JsonNode lock = get(bystander, LOCK);
		assertThat(lock.at("/holders/0/pid").asLong()).isEqualTo(holder.pid());
		assertThat(lock.at("/holders/0/application").asString()).isEqualTo("inventory");
		long token = lock.at("/holders/0/grantToken").asLong();
		assertThat(bystander.send("DELETE", LOCK + "&token=" + (token + 1)).statusCode()).isEqualTo(409);
		assertThat(get(bystander, LOCK).at("/holders/0/grantToken").asLong()).isEqualTo(token);
		CompletableFuture<HttpResponse<String>> next = bystander.sendAsync("POST", SELL);
		await().until(() -> !get(bystander, LOCK).path("waiting").isEmpty());

		assertThat(bystander.send("DELETE", LOCK + "&token=" + token).statusCode()).isEqualTo(204);
		assertThat(next.join().statusCode()).as(next.join().body()).isEqualTo(200);

		holder.resume();
		assertThat(held.join().statusCode()).isEqualTo(500);
		// Its section has ended meanwhile: the message of the store and the release race.
		assertThat(holder.output()).containsPattern("LockLostException: .*Lock 'stock-book'.* "
				+ "was lost (while it was held|before its release arrived in the store): an operator has released it");
	}

}
