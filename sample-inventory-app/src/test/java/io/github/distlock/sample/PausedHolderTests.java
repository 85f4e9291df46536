package io.github.distlock.sample;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.awaitility.Awaitility;
import org.h2.tools.Server;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A node is paused in the middle of a sale until its lease has ended, and continues while
 * the next holder is in the middle of its own.
 */
class PausedHolderTests {

	private static final String SELL = "/stock/ticket/deduct";

	@Test
	void theTicketOfAPausedNodeIsSoldOnceByTheNextHolder() throws Exception {
		RedisServer redis = TestRedis.start();
		Server database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists", "-tcpDaemon").start();
		String url = "--spring.datasource.url=jdbc:h2:tcp://127.0.0.1:" + database.getPort()
				+ "/mem:paused;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000";
		int port = redis.ports().get(0);
		// The holder works until it learns that its lock is lost.
		try (NodeProcess holder = new NodeProcess("paused", port, url, "--distlock.lease-time=6s", "--shop.work=10m",
				"--distlock.on-lost=interrupt");
				NodeProcess next = new NodeProcess("next", port, url, "--distlock.lease-time=60s", "--shop.work=4s")) {
			assertThat(holder.send("PUT", "/stock/ticket?quantity=5").statusCode()).isEqualTo(200);
			CompletableFuture<HttpResponse<String>> paused = holder.sendAsync("POST", SELL);
			awaitHeld(holder);
			holder.pause();
			CompletableFuture<HttpResponse<String>> sale = next.sendAsync("POST", SELL);
			awaitHeld(next);
			holder.resume();
			assertThat(sale.join().body()).isEqualTo("{\"accepted\":true,\"serial\":5}");
			assertThat(paused.join().statusCode()).as(paused.join().body()).isEqualTo(500);
			assertThat(holder.output()).containsPattern("LockLostException: .*Lock 'stock-ticket'.* was lost");
			assertThat(next.send("GET", "/stock/ticket").body())
				.isEqualTo("{\"sku\":\"ticket\",\"quantity\":4,\"sold\":1,\"serials\":1}");
		}
		finally {
			database.stop();
			redis.stop();
		}
	}

	private static void awaitHeld(NodeProcess node) {
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> new JsonMapper().readTree(node.send("GET", "/actuator/distlocks").body())
				.at("/registries/redis/totals/held")
				.asInt() == 1);
	}

}
