#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Networks of torchvision as ONNX files, with random weights from a fixed seed.

	export.py --list
	export.py FOLDER NAME...

Weights are those of torchvision's initialisation, and batch norms have seen random images, so that
their means and variances are not all 0 and 1. int8 networks are quantised by torch.ao.quantization after
random images went through them, and exported with QuantizeLinear and DequantizeLinear.
"""
import sys
import warnings

import torch
import torchvision

warnings.filterwarnings("ignore")

SEGMENTATION = torchvision.models.segmentation
QUANTIZABLE = torchvision.models.quantization

# name: constructor, side of the image, opset, batch (0: an input)
NETWORKS = {
    "alexnet": (torchvision.models.alexnet, 224, 11, 1),
    "vgg16": (torchvision.models.vgg16, 224, 12, 1),
    "resnet18": (torchvision.models.resnet18, 224, 13, 1),
    "resnet18_b4": (torchvision.models.resnet18, 224, 13, 4),
    "resnet18_any": (torchvision.models.resnet18, 224, 13, 0),
    "resnet50": (torchvision.models.resnet50, 224, 14, 1),
    "squeezenet1_1": (torchvision.models.squeezenet1_1, 224, 11, 1),
    "densenet121": (torchvision.models.densenet121, 224, 12, 1),
    "inception_v3": (torchvision.models.inception_v3, 299, 13, 1),
    "googlenet": (torchvision.models.googlenet, 224, 13, 1),
    "shufflenet_v2_x1_0": (torchvision.models.shufflenet_v2_x1_0, 224, 11, 1),
    "mobilenet_v2": (torchvision.models.mobilenet_v2, 224, 13, 1),
    "mobilenet_v3_small": (torchvision.models.mobilenet_v3_small, 224, 14, 1),
    "mnasnet0_5": (torchvision.models.mnasnet0_5, 224, 15, 1),
    "efficientnet_b0": (torchvision.models.efficientnet_b0, 224, 16, 1),
    "regnet_y_400mf": (torchvision.models.regnet_y_400mf, 224, 17, 1),
    "convnext_tiny": (torchvision.models.convnext_tiny, 224, 17, 1),
    "swin_t": (torchvision.models.swin_t, 224, 17, 1),
    "vit_b_16": (torchvision.models.vit_b_16, 224, 17, 1),
    "deeplabv3": (SEGMENTATION.deeplabv3_mobilenet_v3_large, 224, 13, 1),
    "lraspp": (SEGMENTATION.lraspp_mobilenet_v3_large, 224, 13, 1),
    "fcn": (SEGMENTATION.fcn_resnet50, 128, 13, 1),
    "googlenet_q": (QUANTIZABLE.googlenet, 224, 13, 1),
    "mobilenet_v2_q": (QUANTIZABLE.mobilenet_v2, 224, 13, 1),
    "resnet18_q": (QUANTIZABLE.resnet18, 224, 13, 1),
}


class Last(torch.nn.Module):
    """The one output of a network for segmentation, which has a dict of them."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, image):
        return self.net(image)["out"]


def build(constructor, side):
    options = {"weights": None}
    if constructor.__module__.startswith(SEGMENTATION.__name__):
        options["weights_backbone"] = None
    if constructor.__name__ in ("googlenet", "inception_v3"):
        options["aux_logits"] = False
        options["init_weights"] = False
    net = constructor(**options)
    if constructor.__module__.startswith(SEGMENTATION.__name__):
        net = Last(net)
    # the head of a transformer begins as zeroes, and so would all that is compared be
    for module in net.modules():
        if isinstance(module, torch.nn.Linear) and not module.weight.any():
            torch.nn.init.normal_(module.weight, std=0.02)
    net.train()
    with torch.no_grad():
        net(torch.randn(4, 3, side, side))
    return net.eval()


def quantise(net, side):
    engines = torch.backends.quantized.supported_engines
    torch.backends.quantized.engine = "qnnpack" if "qnnpack" in engines else engines[-1]
    net.fuse_model(is_qat=False)
    net.qconfig = torch.ao.quantization.get_default_qconfig(torch.backends.quantized.engine)
    torch.ao.quantization.prepare(net, inplace=True)
    with torch.no_grad():
        for _ in range(2):
            net(torch.randn(1, 3, side, side))
    return torch.ao.quantization.convert(net)


def export(name, folder):
    constructor, side, opset, batch = NETWORKS[name]
    torch.manual_seed(sum(name.encode()))
    net = build(constructor, side)
    if name.endswith("_q"):
        net = quantise(net, side)
    dynamic = None if batch else {"image": {0: "batch"}, "out": {0: "batch"}}
    torch.onnx.export(net, torch.randn(batch or 1, 3, side, side), f"{folder}/{name}.onnx",
                      opset_version=opset, input_names=["image"], output_names=["out"],
                      dynamic_axes=dynamic)


def main():
    if sys.argv[1:] == ["--list"]:
        print(*NETWORKS, sep="\n")
        return 0
    if len(sys.argv) < 3 or not set(sys.argv[2:]) <= set(NETWORKS):
        print(__doc__, file=sys.stderr)
        return 2
    for name in sys.argv[2:]:
        export(name, sys.argv[1])
    return 0


if __name__ == "__main__":
    sys.exit(main())
