package io.github.distlock.lab.page;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The records that the page carries for its story show what its sentences say.
 */
class StoryTests {

	@ParameterizedTest
	@CsvSource({ "two-buyers, OVERSELLS", "no-lock, OVERSELLS", "synchronized, OVERSELLS", "with-lock, HOLDS",
			"hand-made, OVERSELLS", "distributed-lock, HOLDS", "paused, OVERSELLS", "token, HOLDS" })
	void theVerdictOfASceneIsTheExpectedOne(String scene, String verdict) throws IOException {
		JsonNode last = event(scene, "verdict");
		assertThat(last.path("verdict").asString()).isEqualTo(verdict);
		assertThat(last.path("expected").asBoolean()).isTrue();
		assertThat(last.at("/figures/overlaps").asLong() > 0).isEqualTo(verdict.equals("OVERSELLS"));
	}

	@Test
	void twoBuyersReadTheSameAndWriteTheSame() throws IOException {
		assertThat(stays("two-buyers")).hasSize(2).allSatisfy((stay) -> {
			assertThat(stay.path("value").asInt()).isEqualTo(7);
			assertThat(stay.path("written").asInt()).isEqualTo(6);
		});
	}

	/** Each order is a mark of the pictures, at the same place. */
	@Test
	void theScenesOfManyOrdersDifferInTheLockOnly() throws IOException {
		for (String scene : List.of("no-lock", "synchronized", "with-lock")) {
			JsonNode run = event(scene, "run");
			assertThat(List.of(run.path("orders").asInt(), run.path("stock").asInt(), run.path("buyers").asInt()))
				.as(scene)
				.containsExactly(800, 500, 64);
			assertThat(stays(scene).stream().map((stay) -> stay.path("node").asString()).distinct()).as(scene)
				.containsExactlyInAnyOrder("inventory-1", "inventory-2");
		}
		assertThat(stays("with-lock").stream().map((stay) -> stay.path("serial").asInt())).hasSize(500)
			.doesNotHaveDuplicates();
	}

	@Test
	void thePicturesOfTheReadmeSayWhatTheRecordsSay() throws IOException {
		long tickets = stays("no-lock").stream().map((stay) -> stay.path("serial").asInt()).distinct().count();
		JsonNode without = event("no-lock", "verdict").path("figures");
		JsonNode with = event("with-lock", "verdict").path("figures");
		assertThat(tickets).isEqualTo(without.path("sold").asLong() - without.path("duplicates").asLong());
		assertThat(Files.readString(Path.of("..", "README.md")))
			.contains(without.path("sold") + " buyers believe that they have a ticket, and share " + tickets + "]")
			.contains(with.path("sold") + " buyers have one ticket each");
		assertThat(Files.readString(Path.of("..", "README.zh-CN.md")))
			.containsPattern(without.path("sold") + " \\p{IsHan}+\uff0c\\p{IsHan}+ " + tickets + " \\p{IsHan}]")
			.containsPattern("@DistributedLock\uff1a" + with.path("sold") + " \\p{IsHan}");
	}

	@Test
	void theLeaseOfTheSlowHolderWasRenewedAndTheHandMadeOneEnded() throws IOException {
		assertThat(stays("distributed-lock"))
			.anySatisfy((stay) -> assertThat(stay.path("renewals").size()).isPositive());
		assertThat(stays("hand-made")).anySatisfy(StoryTests::outlivedItsLease);
	}

	@Test
	void theLateWriteOfThePausedHolderSellsATicketAgain() throws IOException {
		assertThat(event("paused", "verdict").at("/figures/duplicates").asLong()).isPositive();
		assertThat(stays("paused")).anySatisfy((stay) -> {
			assertThat(stay.path("state").asString()).isEqualTo("wrote");
			outlivedItsLease(stay);
		});
	}

	@Test
	void theTokenRefusedTheWriteOfTheHolderWhoseLeaseHadEnded() throws IOException {
		assertThat(stays("token")).anySatisfy((stay) -> {
			assertThat(stay.path("state").asString()).isEqualTo("refused");
			outlivedItsLease(stay);
		});
	}

	private static void outlivedItsLease(JsonNode stay) {
		assertThat(stay.path("lease").asLong()).isPositive().isLessThan(stay.path("end").asLong());
	}

	private static List<JsonNode> stays(String scene) throws IOException {
		return event(scene, "stays").path("stays").valueStream().toList();
	}

	private static JsonNode event(String scene, String type) throws IOException {
		String file = "/static/story/" + scene + ".json";
		try (InputStream in = Objects.requireNonNull(StoryTests.class.getResourceAsStream(file), file)) {
			List<JsonNode> events = new ArrayList<>();
			JsonMapper.builder()
				.build()
				.readTree(in)
				.path("events")
				.valueStream()
				.filter((event) -> event.path("type").asString().equals(type))
				.forEach(events::add);
			assertThat(events).hasSize(1);
			return events.get(0);
		}
	}

}
