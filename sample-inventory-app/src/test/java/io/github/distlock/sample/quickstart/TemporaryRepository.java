package io.github.distlock.sample.quickstart;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import io.github.distlock.DistributedLock;

import org.springframework.util.FileSystemUtils;

/**
 * A local repository of Maven that contains the library as this build has made it, and,
 * by links, everything else that the machine's local repository contains. What Maven
 * downloads goes there too, so that the next build works offline.
 */
final class TemporaryRepository implements AutoCloseable {

	private static final String GROUP = "io/github/distlock";

	private final Path folder;

	private final String version;

	TemporaryRepository(Path folder, String version) {
		this.folder = folder;
		this.version = version;
	}

	/**
	 * Create the repository.
	 * @param machine the machine's local repository
	 * @param root the root of this project
	 * @throws IOException if a file cannot be written
	 */
	void create(Path machine, Path root) throws IOException {
		link(machine, "");
		for (int names = 1; names < Path.of(GROUP).getNameCount(); names++) {
			link(machine, Path.of(GROUP).subpath(0, names).toString());
		}
		// Without the parent, which is not published.
		for (String module : List.of("project/distlock-bom", "distlock-autoconfigure",
				"distlock-spring-boot-starter")) {
			install(module.substring(module.indexOf('/') + 1),
					root.resolve(module).resolve("target/.flattened-pom.xml"));
		}
		Path library = library();
		Path jar = file("distlock-autoconfigure", "jar");
		Path starter = file("distlock-spring-boot-starter", "jar");
		if (Files.isDirectory(library)) {
			pack(library, files(library), jar);
			pack(library, List.of(), starter);
		}
		else {
			Files.copy(library, jar);
			Files.copy(root.resolve("distlock-spring-boot-starter/target").resolve(starter.getFileName()), starter);
		}
	}

	Path folder() {
		return this.folder;
	}

	/** Link what a folder contains, except for the folders that lead to the library. */
	private void link(Path machine, String name) throws IOException {
		Path target = Files.createDirectories(this.folder.resolve(name));
		Path source = machine.resolve(name);
		if (!Files.isDirectory(source)) {
			return;
		}
		try (Stream<Path> entries = Files.list(source)) {
			for (Path entry : entries.toList()) {
				Path relative = machine.relativize(entry);
				if (!Path.of(GROUP).startsWith(relative)) {
					Files.createSymbolicLink(target.resolve(entry.getFileName()), entry.toAbsolutePath());
				}
			}
		}
	}

	private void install(String artifact, Path pom) throws IOException {
		Path target = file(artifact, "pom");
		Files.createDirectories(target.getParent());
		Files.copy(pom, target);
	}

	private Path file(String artifact, String type) {
		return this.folder.resolve(GROUP)
			.resolve(artifact)
			.resolve(this.version)
			.resolve(artifact + "-" + this.version + "." + type);
	}

	/** Return the jar of the library, or its classes, of which this test runs. */
	private static Path library() {
		try {
			return Path.of(DistributedLock.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Remove the repository: the links, and not what they lead to. */
	@Override
	public void close() throws IOException {
		FileSystemUtils.deleteRecursively(this.folder);
	}

	private static List<Path> files(Path folder) throws IOException {
		try (Stream<Path> walk = Files.walk(folder)) {
			return walk.filter(Files::isRegularFile).toList();
		}
	}

	private static void pack(Path folder, List<Path> files, Path jar) throws IOException {
		try (OutputStream output = Files.newOutputStream(jar); JarOutputStream packed = new JarOutputStream(output)) {
			for (Path file : files) {
				packed.putNextEntry(new JarEntry(folder.relativize(file).toString().replace('\\', '/')));
				Files.copy(file, packed);
				packed.closeEntry();
			}
		}
	}

}
