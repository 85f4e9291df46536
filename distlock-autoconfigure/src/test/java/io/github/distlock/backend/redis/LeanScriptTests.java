package io.github.distlock.backend.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;

import io.github.distlock.installed.Installed;
import io.github.distlock.testing.RedisLocales;
import io.github.distlock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The lean parts of {@code attempt.lua} and {@code release.lua} do what the general parts
 * after them would do. The same random commands run with and without the lean parts, on a
 * clock of the test; all that they read, write and answer is compared.
 * {@code -Dfuzz.seeds=30} runs more of them.
 */
@Tag(Installed.TAG)
class LeanScriptTests {

	private static final int SEEDS = Integer.getInteger("fuzz.seeds", 1);

	private static final int COMMANDS = 1000;

	private static final String LEAN_ATTEMPT = "if kind and kind ~= TOMBSTONE";

	private static final String LEAN_RELEASE = "if kind ~= READERS and #used == #now";

	@ParameterizedTest
	@ValueSource(strings = { RedisLocales.BYTES, RedisLocales.COLLATING })
	void theLeanPartsDoWhatTheGeneralPartsDo(String locale) {
		try (RedisProcess server = RedisLocales.start(locale)) {
			for (int seed = 1; seed <= SEEDS; seed++) {
				ScriptTwins twins = twins(server, UnaryOperator.identity());
				assertThat(run(twins, seed)).as("seed " + seed).isEmpty();
				assertThat(twins.general()).as("commands that need the general part")
					.isBetween(COMMANDS / 10L, COMMANDS * 7L / 10);
				twins.close();
			}
		}
	}

	@Test
	void aLeanPartThatDiffersIsDetected() {
		try (RedisProcess server = RedisLocales.start(RedisLocales.BYTES)) {
			for (List<String> fault : List.of(List.of("if receivers == 0 then", "if false then"),
					List.of("'#' .. head, claim)", "'#' .. head)"),
					List.of("if note ~= count * 20000 + 10001 then", "if false then"),
					List.of("(micros < 1e6)", "true"), List.of("and used < now", ""),
					List.of("letter == READ or letter == FAIR and (second == READ or second == LIMIT)", "false"),
					List.of("if kind == OWNED then", "if false then"), List.of("'(1e12'", "'+inf'"),
					List.of("or head == requester", ""))) {
				List<String> found = new ArrayList<>();
				for (int seed = 1; seed <= 20 && found.isEmpty(); seed++) {
					ScriptTwins twins = twins(server, (text) -> text.replace(fault.get(0), fault.get(1)));
					found.addAll(run(twins, seed));
					twins.close();
				}
				assertThat(found).as(fault.get(0)).isNotEmpty();
			}
		}
	}

	private static ScriptTwins twins(RedisProcess server, UnaryOperator<String> fault) {
		return new ScriptTwins(server.port(), fault, (text) -> {
			assertThat(text.contains(LEAN_ATTEMPT) || text.contains(LEAN_RELEASE)
					|| !text.contains("include: append.lua") && !text.contains("local function append"))
				.isTrue();
			return text.replace(LEAN_ATTEMPT, "if false and kind ~= TOMBSTONE")
				.replace(LEAN_RELEASE, "if false and #used == #now");
		});
	}

	/** Returns the first difference. */
	private static List<String> run(ScriptTwins twins, int seed) {
		Random random = new Random(seed);
		List<String> tokens = new ArrayList<>();
		for (int i = 0; i < COMMANDS; i++) {
			step(twins, random, tokens);
			if (!twins.differences().isEmpty()) {
				return twins.differences();
			}
		}
		return List.of();
	}

	private static void step(ScriptTwins twins, Random random, List<String> tokens) {
		twins.passTime(random);
		int roll = random.nextInt(100);
		if (roll < 40) {
			String token = newToken(random, tokens);
			twins.run(Scripts.ATTEMPT, token, lease(random), howToAttempt(random, token));
		}
		else if (roll < 48 && !tokens.isEmpty()) {
			String token = tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size())));
			twins.run(Scripts.ATTEMPT, token, lease(random), howToAttempt(random, token));
		}
		else if (roll < 90) {
			release(twins, random, tokens);
		}
		else if (roll < 94 && !tokens.isEmpty()) {
			twins.run(Scripts.CANCEL, tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size()))));
		}
		else if (roll < 96) {
			twins.toggleInbox("i" + random.nextInt(4));
		}
		else if (roll < 99) {
			twins.forget();
		}
		else {
			twins.endLease();
		}
	}

	private static void release(ScriptTwins twins, Random random, List<String> tokens) {
		String[] word = twins.word().split("[|]");
		if (word.length < 3) {
			// Readers, a tombstone, or nothing.
			if (word[0].startsWith("~") && !tokens.isEmpty()) {
				twins.run(Scripts.RELEASE, tokens.get(random.nextInt(tokens.size())), "0");
			}
			return;
		}
		long first = Long.parseLong(word[2]);
		String used = switch (random.nextInt(12)) {
			case 0 -> "0";
			case 1 -> Long.toString(first + (twins.areWordsEqual() ? 1_000_000_000L : 0));
			case 2 -> Long.toString(first - 1);
			default -> Long.toString(first + random.nextInt(Math.min(3, Integer.parseInt(word[1]))));
		};
		String token = word[0].substring(1);
		if (random.nextInt(3) > 0) {
			twins.run(Scripts.RELEASE, token, used);
			return;
		}
		boolean queued = random.nextInt(8) == 0;
		String next = queued ? tokens.get(tokens.size() - 1 - random.nextInt(Math.min(12, tokens.size())))
				: newToken(random, tokens);
		if (!next.equals(token) && !isReader(next)) {
			twins.run(Scripts.RELEASE, token, used, next, lease(random), how(random, next));
		}
	}

	private static String newToken(Random random, List<String> tokens) {
		List<String> modes = List.of("", "", "", "", "", "", "F", "F", "F", "F", "W", "FW", "FR", "F02p");
		String token = "i" + random.nextInt(4) + ":" + modes.get(random.nextInt(modes.size())) + (tokens.size() + 1);
		tokens.add(token);
		return token;
	}

	private static String lease(Random random) {
		return List.of("30000", "30000", "30000", "5000", "9999", "3000", "100").get(random.nextInt(7));
	}

	/** A release does not queue tickets that poll. */
	private static String howToAttempt(Random random, String token) {
		String how = how(random, token);
		return (random.nextInt(16) > 0) ? how : List.of("P", "Q").get(random.nextInt(2)) + how.substring(1);
	}

	private static String how(Random random, String token) {
		String mark = (random.nextInt(16) > 1) ? "T" : random.nextBoolean() ? "S" : "N";
		String count = List.of("17", "17", "17", "1", "1001").get(random.nextInt(5));
		return isReader(token) ? mark : mark + count;
	}

	private static boolean isReader(String token) {
		return token.contains(":FR") || token.contains(":F0");
	}

}
