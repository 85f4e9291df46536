package io.github.distlock.docs;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.ClassUtils;
import org.springframework.util.function.ThrowingSupplier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The Java code of pages, compiled, so that a test runs what a reader sees.
 *
 * @param loader the class loader of the code
 * @param types the classes
 */
public record PageCode(ClassLoader loader, List<Class<?>> types) {

	public static PageCode of(List<String> pages, CodeBlock... more) {
		List<CodeBlock> blocks = Stream
			.concat(pages.stream().flatMap((page) -> Pages.blocks(page, Pages.text(page)).stream()), Stream.of(more))
			.filter((block) -> block.info().equals("java"))
			.toList();
		Path folder = ThrowingSupplier.of(() -> Files.createTempDirectory("page")).get();
		assertThat(JavaBlocks.errors(blocks, folder)).isEmpty();
		return ThrowingSupplier.of(() -> load(folder.resolve("0"))).get();
	}

	static PageCode load(Path folder) throws IOException {
		// Its classes are loaded as long as an application runs.
		URLClassLoader loader = new URLClassLoader(new URL[] { folder.toUri().toURL() },
				PageCode.class.getClassLoader());
		try (Stream<Path> files = Files.walk(folder)) {
			return new PageCode(loader,
					files.filter((file) -> file.toString().endsWith(".class"))
						.map((file) -> folder.relativize(file).toString().replace('/', '.').replace('\\', '.'))
						.<Class<?>>map((name) -> ClassUtils.resolveClassName(name.replaceAll("\\.class$", ""), loader))
						.toList());
		}
	}

	/** Return the class that has a name, or that declares a method. */
	public Class<?> type(String name) {
		List<Class<?>> found = this.types.stream()
			.filter((type) -> type.getSimpleName().equals(name) || Arrays.stream(type.getDeclaredMethods())
				.anyMatch((method) -> method.getName().equals(name) && !method.isSynthetic()))
			.toList();
		assertThat(found).as(name).hasSize(1);
		return found.get(0);
	}

}
