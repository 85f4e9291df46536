package io.github.distlock.lab.records;

import java.io.FileOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How the file of a node is read while the node writes it.
 */
class NodeTailTests {

	@Test
	void aNodeThatHasNotStartedHasNoRecords(@TempDir Path folder) throws Exception {
		assertThat(new NodeTail(folder.resolve("none")).read()).isEmpty();
	}

	@Test
	void eachLineIsReadOnceAndOnlyWhenItIsComplete(@TempDir Path folder) throws Exception {
		NodeTail tail = new NodeTail(file(folder));
		append(folder, "{\"n\":1,\"type\":\"start\",\"at\":10,\"pid\":3}\n{\"n\":2,\"type\":\"wro");
		assertThat(tail.read()).extracting(NodeRecord::type).containsExactly("start");
		assertThat(tail.read()).isEmpty();
		append(folder, "te\",\"at\":12,\"stay\":7,\"value\":3,\"serial\":4}\n");
		assertThat(tail.read()).singleElement().satisfies((next) -> {
			assertThat(next.type()).isEqualTo("wrote");
			assertThat(next.sale()).isEqualTo(7);
			assertThat(next.serial()).isEqualTo(4);
		});
		assertThat(tail.missing()).isZero();
	}

	@Test
	void aGapInTheNumbersIsCounted(@TempDir Path folder) throws Exception {
		NodeTail tail = new NodeTail(file(folder));
		append(folder, "{\"n\":1,\"type\":\"start\",\"at\":10}\n{\"n\":4,\"type\":\"refused\",\"at\":12,\"stay\":7}\n");
		tail.read();
		assertThat(tail.missing()).isEqualTo(2);
	}

	@Test
	void aNodeThatStartsAgainCountsFromOne(@TempDir Path folder) throws Exception {
		NodeTail tail = new NodeTail(file(folder));
		append(folder, "{\"n\":1,\"type\":\"start\",\"at\":10}\n{\"n\":2,\"type\":\"refused\",\"at\":12,\"stay\":7}\n");
		append(folder, "{\"n\":1,\"type\":\"start\",\"at\":20}\n");
		assertThat(tail.read()).hasSize(3);
		assertThat(tail.missing()).isZero();
	}

	@Test
	void halfALineOfAKilledNodeIsPassedOver(@TempDir Path folder) throws Exception {
		NodeTail tail = new NodeTail(file(folder));
		append(folder,
				"{\"n\":1,\"type\":\"start\",\"at\":10}\n{\"n\":2,\"ty\n{\"n\":1,\"type\":\"start\",\"at\":20}\n");
		assertThat(tail.read()).extracting(NodeRecord::at).containsExactly(10L, 20L);
	}

	@Test
	void aLargeFileIsEmptiedAndTheNodeContinuesInIt(@TempDir Path folder) throws Exception {
		NodeTail tail = new NodeTail(file(folder), 50);
		try (OutputStream node = new FileOutputStream(file(folder).toFile(), true)) {
			node.write("{\"n\":1,\"type\":\"start\",\"at\":10}\n".getBytes(StandardCharsets.UTF_8));
			tail.read();
			tail.shorten();
			assertThat(file(folder)).isNotEmptyFile();
			node.write("{\"n\":2,\"type\":\"refused\",\"at\":12,\"stay\":7}\n".getBytes(StandardCharsets.UTF_8));
			tail.shorten();
			assertThat(tail.read()).hasSize(1);
			tail.shorten();
			assertThat(file(folder)).isEmptyFile();
			node.write("{\"n\":3,\"type\":\"refused\",\"at\":13,\"stay\":8}\n".getBytes(StandardCharsets.UTF_8));
			assertThat(tail.read()).extracting(NodeRecord::at).containsExactly(13L);
			assertThat(tail.missing()).isZero();
		}
	}

	private static Path file(Path folder) {
		return folder.resolve("node.jsonl");
	}

	private static void append(Path folder, String text) throws Exception {
		Files.writeString(file(folder), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

}
