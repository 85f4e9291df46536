package io.github.distlock.sample;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.github.distlock.sample.LabClient.Event;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * The lab over HTTP: the whole demonstration runs as a process of its own, and the tests
 * do what a page does.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class LabTests {

	private static final String TWO_STRATEGIES = "{\"strategies\":[\"none\",\"distributed-lock\"],\"fault\":\"none\","
			+ "\"orders\":120,\"stock\":80,\"buyers\":16}";

	@AutoClose
	private static LabProcess process;

	private static LabClient lab;

	@BeforeAll
	static void startTheLab() throws Exception {
		process = LabProcess.start("lab");
		lab = process.lab();
	}

	@AfterEach
	void stopTheRun() {
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> !process.demo().isAlive() || lab.send("DELETE", "/lab/runs/current", "").statusCode() == 404);
	}

	@Test
	void theFiguresOfARunEqualTheDatabaseAndTheRecordsOfTheNodes() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = lab.start(TWO_STRATEGIES);
			List<Event> events = stream.untilEnd(run);
			assertThat(events.stream().map(Event::n)).containsExactlyElementsOf(numbers(1, events.size()));
			assertThat(events).allSatisfy((event) -> assertThat(event.id()).isEqualTo(run + ":" + event.n()));
			assertThat(events.get(0).is("run")).isTrue();
			assertThat(events.get(events.size() - 1).data().path("outcome").asString()).isEqualTo("finished");
			JsonNode none = check(events, 0);
			JsonNode locked = check(events, 1);
			assertThat(none.path("verdict").asString()).isEqualTo("OVERSELLS");
			assertThat(none.at("/figures/overlaps").asInt()).isPositive();
			assertThat(locked.path("verdict").asString()).isEqualTo("HOLDS");
			assertThat(locked.at("/figures/overlaps").asInt()).isZero();
			assertThat(stays(events, 1).values()).allSatisfy((stay) -> {
				assertThat(stay.path("token").isIntegralNumber()).as(stay.toString()).isTrue();
			});
			JsonNode database = JsonMapper.builder().build().readTree(process.node().get("/stock/ticket").body());
			assertThat(locked.at("/figures/sold").asInt()).isEqualTo(database.path("sold").asInt()).isEqualTo(80);
			assertThat(locked.at("/figures/stockLeft").asInt()).isEqualTo(database.path("quantity").asInt());
			assertThat(locked.at("/figures/duplicates").asInt())
				.isEqualTo(database.path("sold").asInt() - database.path("serials").asInt());
		}
	}

	/**
	 * Check the figures of a trial against its stays and its last tally.
	 */
	private static JsonNode check(List<Event> events, int trial) {
		JsonNode verdict = last(events, trial, "verdict");
		JsonNode figures = verdict.path("figures");
		List<JsonNode> written = stays(events, trial).values()
			.stream()
			.filter((stay) -> stay.path("state").asString().equals("wrote"))
			.toList();
		assertThat(written).hasSize(figures.path("sold").asInt());
		assertThat(figures.path("overlaps").asLong())
			.isEqualTo(written.stream().filter((stay) -> overlapsAnother(stay, written)).count());
		assertThat(written.stream().map((stay) -> stay.path("serial").asLong()).distinct())
			.hasSize(figures.path("sold").asInt() - figures.path("duplicates").asInt());
		JsonNode tally = last(events, trial, "tally");
		assertThat(tally.path("stock")).isEqualTo(figures.path("stockLeft"));
		for (String name : List.of("sold", "oversold", "lostUpdates", "duplicates", "errors", "unserved")) {
			assertThat(tally.path(name)).as(name).isEqualTo(figures.path(name));
		}
		return verdict;
	}

	private static boolean overlapsAnother(JsonNode stay, List<JsonNode> all) {
		return all.stream().anyMatch((other) -> other != stay && RecordedOverlaps.overlap(stay, other));
	}

	static JsonNode last(List<Event> events, int trial, String type) {
		List<Event> all = events.stream()
			.filter((event) -> event.is(type) && event.data().path("trial").asInt() == trial)
			.toList();
		assertThat(all).as(type).isNotEmpty();
		return all.get(all.size() - 1).data();
	}

	/**
	 * Return the last state of each stay.
	 */
	private static Map<String, JsonNode> stays(List<Event> events, int trial) {
		Map<String, JsonNode> stays = new HashMap<>();
		for (Event event : events) {
			if (event.is("stays") && event.data().path("trial").asInt() == trial) {
				for (JsonNode stay : event.data().path("stays")) {
					stays.put(stay.path("node").asString() + " " + stay.path("stay").asLong(), stay);
				}
			}
		}
		return stays;
	}

	private static List<Integer> numbers(int from, int to) {
		return IntStream.rangeClosed(from, to).boxed().toList();
	}

	@Test
	void aPageThatConnectsAgainGetsExactlyTheRest() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = lab.start(TWO_STRATEGIES);
			Event middle = stream.until(run, "verdict").get(2);
			try (LabClient.Events again = lab.events(middle.id())) {
				List<Event> rest = again.untilEnd(run);
				assertThat(rest.stream().map(Event::n))
					.containsExactlyElementsOf(numbers(middle.n() + 1, rest.get(rest.size() - 1).n()));
				List<Event> all = stream.untilEnd(run);
				assertThat(rest).isEqualTo(all.subList(middle.n(), all.size()));
			}
		}
	}

	@Test
	void theRecordOfARunEqualsItsEvents() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = lab.start("{\"strategies\":[\"segments\"],\"orders\":40,\"stock\":30,\"buyers\":8}");
			List<JsonNode> events = stream.untilEnd(run).stream().map(Event::data).toList();
			HttpResponse<String> answer = lab.get("/lab/runs/" + run);
			assertThat(answer.headers().firstValue("Content-Disposition"))
				.hasValue("attachment; filename=\"distlock-lab-%s.json\"".formatted(run));
			JsonNode record = LabClient.json(answer);
			assertThat(record.path("format").asString()).isEqualTo("distlock-lab-record");
			assertThat(record.path("version").asInt()).isEqualTo(1);
			assertThat(record.path("events").valueStream().toList()).isEqualTo(events);
			assertThat(lab.get("/lab/runs/latest").body()).isEqualTo(answer.body());
			// The file is written after the last event, and before the run is over.
			assertThat(lab.send("DELETE", "/lab/runs/current", "").statusCode()).isEqualTo(404);
			assertThat(Files.readString(process.demo().folder().resolve("lab-runs").resolve(run + ".json")))
				.isEqualTo(answer.body());
			assertThat(lab.get("/lab/runs/..%2Foversell-report").statusCode()).isIn(400, 404);
			assertThat(lab.get("/lab/runs/unknown").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void aPageThatDoesNotReadDelaysNoRunAndIsClosed() throws Exception {
		try (LabClient.Events stream = lab.events(""); Socket slow = new Socket()) {
			slow.setReceiveBufferSize(4096);
			slow.connect(new InetSocketAddress("127.0.0.1", lab.address().getPort()));
			slow.getOutputStream()
				.write("GET /lab/events HTTP/1.1\r\nHost: localhost:%d\r\n\r\n".formatted(lab.address().getPort())
					.getBytes(StandardCharsets.US_ASCII));
			String run = lab.start("{\"strategies\":[\"none\"],\"orders\":2000,\"stock\":2000,\"buyers\":32}");
			List<Event> events = stream.untilEnd(run);
			assertThat(stays(events, 0)).hasSize(2000);
			Awaitility.await()
				.atMost(Duration.ofMinutes(4))
				.until(() -> catchThrowable(() -> slow.getOutputStream().write('\n')) instanceof IOException);
		}
	}

	@Test
	void aSecondRunAtTheSameTimeIsRefusedAndAStopEndsTheFirst() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = lab.start("{\"strategies\":[\"redis\",\"none\"],\"orders\":5000,\"stock\":5000}");
			HttpResponse<String> second = lab.post(TWO_STRATEGIES);
			assertThat(second.statusCode()).isEqualTo(409);
			assertThat(second.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(LabClient.json(second).path("detail").asString()).isEqualTo(
					"Run '%s' is in progress, and only one run at a time is possible: wait for its end, ".formatted(run)
							+ "or stop it (DELETE /lab/runs/current)");
			stream.until(run, "stays");
			assertThat(lab.send("DELETE", "/lab/runs/current", "").statusCode()).isEqualTo(204);
			List<Event> events = stream.untilEnd(run);
			assertThat(events.get(events.size() - 1).data().path("outcome").asString()).isEqualTo("stopped");
			assertThat(events).noneMatch((event) -> event.is("verdict"))
				.noneMatch((event) -> event.data().path("trial").asInt() == 1);
			JsonNode tally = last(events, 0, "tally");
			assertThat(tally.path("sold").asInt()).isBetween(1, 4999).isEqualTo(tally.path("answered").asInt());
			assertThat(stays(events, 0).values()).allMatch((stay) -> stay.path("state").asString().equals("wrote"))
				.hasSize(tally.path("sold").asInt());
			assertThat(lab.send("DELETE", "/lab/runs/current", "").statusCode()).isEqualTo(404);
		}
	}

	@Test
	void aCrashIsShownWithTheStaysThatItEnded() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = lab.start("{\"strategies\":[\"set-px-unique\"],\"fault\":\"crash\",\"orders\":60,\"stock\":40,"
					+ "\"buyers\":8}");
			List<Event> events = stream.untilEnd(run);
			assertThat(last(events, 0, "verdict").path("verdict").asString()).isEqualTo("HOLDS");
			JsonNode fault = last(events, 0, "fault");
			assertThat(fault.path("node").asString()).isEqualTo("inventory-2");
			assertThat(fault.path("fault").asString()).isEqualTo("crash");
			assertThat(fault.path("until").asLong()).isGreaterThan(fault.path("from").asLong());
			List<JsonNode> crashed = stays(events, 0).values()
				.stream()
				.filter((stay) -> stay.path("state").asString().equals("crashed"))
				.toList();
			assertThat(crashed).singleElement().satisfies((stay) -> {
				assertThat(stay.path("node").asString()).isEqualTo("inventory-2");
				assertThat(stay.path("end").asLong()).isEqualTo(fault.path("from").asLong());
			});
			assertThat(events.stream().map((event) -> event.data().path("text").asString("")))
				.contains("restarting inventory-2");
			assertThat(events.stream().map(Event::n)).containsExactlyElementsOf(numbers(1, events.size()));
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', value = {
			"{'strategies':['setny']} | strategies | with the value 'setny' is no strategy: use some of none, ",
			"{'orders':3} | strategies | with the value (missing) is no list of names: send one or more of none, ",
			"{'strategies':['none'],'fault':'fire'} | fault | with the value 'fire' is no fault: use one of none, crash, slow, pause, clock",
			"{'strategies':['none'],'orders':5001} | orders | with the value 5001 is out of range: use a whole number from 1 to 5000",
			"{'strategies':['none'],'stock':0} | stock | with the value 0 is out of range: use a whole number from 1 to 5000",
			"{'strategies':['none'],'buyers':'many'} | buyers | with the value 'many' is no whole number: use a whole number from 1 to 200",
			"{'strategies':['none'],'order':3} | order | with the value 3 is unknown: use ",
			"{'strategies':['none','setnx','mkdir','redis','local','zookeeper','redlock','segments','jdbc-connection','redis-fair','optimistic'],'orders':5000} | orders | with the value 5000 makes 55000 orders with 11 strategies, and a run has at most 50000: use 4545 or fewer orders, or fewer strategies" })
	void whatMakesNoSenseIsNamedWithTheCauseAndARemedy(String form, String field, String message) throws Exception {
		HttpResponse<String> answer = lab.post(form.replace('\'', '"'));
		assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
		assertThat(LabClient.json(answer).path("field").asString()).isEqualTo(field);
		assertThat(LabClient.json(answer).path("detail").asString())
			.startsWith("The field '%s' %s".formatted(field, message.replace('\'', '"')));
	}

	@Test
	void onlyJsonStartsARun() throws Exception {
		assertThat(lab.send("POST", "/lab/runs", TWO_STRATEGIES, "Content-Type", "text/plain").statusCode())
			.isEqualTo(415);
		assertThat(lab.post("{").statusCode()).isEqualTo(400);
	}

	@Test
	void theSetupDescribesEachStrategyWithItsCode() throws Exception {
		JsonNode setup = LabClient.json(lab.get("/lab/setup"));
		assertThat(setup.path("ready").asBoolean()).isTrue();
		assertThat(setup.path("nodes").valueStream().map(JsonNode::asString)).containsExactly("inventory-1",
				"inventory-2");
		List<String> names = new ArrayList<>();
		for (JsonNode strategy : setup.path("strategies")) {
			names.add(strategy.path("name").asString());
			assertThat(strategy.path("code").asString()).contains("class ").endsWith("}");
		}
		assertThat(names).hasSize(19).startsWith("none", "synchronized").contains("setnx", "distributed-lock");
	}

	@Test
	void thePageMayLoadNothingFromElsewhere() throws Exception {
		HttpResponse<String> script = lab.get("/webjars/chart.js/dist/chart.umd.js");
		assertThat(script.statusCode()).isEqualTo(200);
		assertThat(script.headers().firstValue("Content-Security-Policy")).hasValueSatisfying((policy) -> {
			assertThat(policy).startsWith("default-src 'none'; script-src 'self';").doesNotContain("unsafe", "http");
		});
		assertThat(script.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
		assertThat(script.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
		assertThat(script.headers().firstValue("Cross-Origin-Resource-Policy")).hasValue("same-origin");
	}

	@Test
	@Order(Integer.MAX_VALUE)
	void aStopEndsAllProcessesWhileAPageIsOpen() throws Exception {
		try (LabClient.Events stream = lab.events("")) {
			String run = LabClient.json(lab.get("/lab/runs/latest")).at("/events/0/run").asString();
			stream.untilEnd(run);
			Collection<ProcessHandle> family = process.demo().family();
			assertThat(family).isNotEmpty();
			process.demo().terminate();
			Awaitility.await()
				.atMost(Duration.ofMinutes(4))
				.until(() -> !process.demo().isAlive() && family.stream().noneMatch(ProcessHandle::isAlive));
		}
	}

}
